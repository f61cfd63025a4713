#include "backends/linux/supervisor/linux_kernel_news.hpp"

#include <poll.h>
#include <sys/epoll.h>

namespace dpm {
namespace {

void watch(int epoll_fd, int fd, std::uint32_t events, std::uint64_t data) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = data;
  ::epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

constexpr int kNoFile = -1;  // poll() waits for nothing but the time

bool becomes_readable(int fd, int milliseconds) {
  pollfd item{fd, POLLIN, 0};
  return ::poll(&item, 1, milliseconds) != 0;
}

}  // namespace

LinuxKernelNews::LinuxKernelNews(int epoll_fd, std::uint64_t change_data, std::uint32_t end_data)
    : epoll_fd_(epoll_fd),
      end_data_(end_data),
      connector_(ProcessConnector::open()),
      closed_sockets_(ClosedSockets::open()) {
  if (connector_) watch(epoll_fd, connector_->fd(), EPOLLIN, change_data);
}

bool LinuxKernelNews::drain(const std::function<void(const ProcessChange&)>& take) {
  return !connector_ || connector_->drain(take);
}

void LinuxKernelNews::await(int milliseconds) {
  becomes_readable(connector_ ? connector_->fd() : kNoFile, milliseconds);
}

void LinuxKernelNews::watch_end(int thread_fd, std::uint32_t tid) {
  const std::uint64_t data = static_cast<std::uint64_t>(tid) << 32 | end_data_;
  if (!connector_ && thread_fd >= 0) watch(epoll_fd_, thread_fd, EPOLLIN | EPOLLONESHOT, data);
}

KernelNews::SocketNews LinuxKernelNews::drain_closed_sockets(const std::function<void(const ClosedSocket&)>& take,
                                                             std::int64_t steady_now_ns) {
  if (!closed_sockets_) return {.complete = false, .listens = false};
  std::uint64_t count = 0;
  bool complete = closed_sockets_->drain([&](const ClosedSocket& closed) {
    ++count;
    take(closed);
  });
  const bool listens = closed_budget_.listens_after(count, steady_now_ns);
  if (listens != listens_to_closed_ && closed_sockets_->listen(listens)) {
    listens_to_closed_ = listens;
    complete = false;
  }
  return {.complete = complete, .listens = listens_to_closed_};
}

bool LinuxKernelNews::await_closed_socket(int milliseconds) {
  return closed_sockets_ && listens_to_closed_ && becomes_readable(closed_sockets_->fd(), milliseconds);
}

}  // namespace dpm

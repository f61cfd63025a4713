#include "tests/backends/linux/custody/acquire/test_supervisor.hpp"

#include <fcntl.h>
#include <poll.h>

namespace dpm {

TestSupervisor::TestSupervisor(UniqueFd listener, std::optional<NotificationSlots> slots)
    : listener_(std::move(listener)), slots_(std::move(slots)), thread_([this] { run(); }) {}

void TestSupervisor::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

std::map<std::uint32_t, std::uint64_t> TestSupervisor::calls_by_thread() const {
  const std::lock_guard lock(mutex_);
  return by_thread_;
}

void TestSupervisor::run() {
  listener_.set_sync_wake_up(true);
  Notification own;
  Notification& notification = slots_ ? (*slots_)[0] : own;
  while (!stopping_) {
    pollfd item{listener_.fd(), POLLIN, 0};
    if (::poll(&item, 1, 5) != 1) continue;
    if ((item.revents & POLLIN) == 0) return;  // the last process has ended
    notification = {};
    if (listener_.receive(notification) != SeccompListener::Received::one) continue;
    // Counted first: a test that sees the call's effect finds it in the counts.
    ++calls_;
    {
      const std::lock_guard lock(mutex_);
      ++by_thread_[notification.tid];
    }
    listener_.let_go(notification.id);
  }
}

UniqueFd duplicate(const UniqueFd& fd) { return UniqueFd(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)); }

}  // namespace dpm

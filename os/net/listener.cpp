#include "os/net/listener.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace dpm {
namespace {

// A connection for which there is no descriptor would be announced repeatedly: wait in between.
constexpr std::chrono::milliseconds kPauseWithoutDescriptors{100};

}  // namespace

Listener::Listener(asio::io_context& context, UniqueFd socket, std::function<void(UniqueFd)> on_accept,
                   std::function<void()> on_shortage)
    : on_accept_(std::move(on_accept)),
      on_shortage_(std::move(on_shortage)),
      pause_(context),
      socket_(context, std::move(socket)) {
  socket_.when_readable([this] { accept(); });
}

void Listener::accept() {
  UniqueFd connection(::accept4(socket_.fd(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  const bool has_descriptors = connection || (errno != EMFILE && errno != ENFILE);
  // First, because the listener may be destroyed in on_accept.
  if (has_descriptors) {
    socket_.when_readable([this] { accept(); });
  } else {
    pause_.start(kPauseWithoutDescriptors, [this] { accept(); });
    if (on_shortage_) on_shortage_();
  }
  if (connection) on_accept_(std::move(connection));
}

}  // namespace dpm

#include "backends/linux/supervisor/path_calls.hpp"

namespace dpm {

void PathCalls::change_path(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  const auto argument = [&notification](std::size_t at) {
    return static_cast<std::uint32_t>(notification.arguments[at]);
  };
  if (shape.path == PathCall::socket || shape.path == PathCall::pair) {
    constexpr std::uint32_t kTypeMask = 0xf;  // without SOCK_CLOEXEC and SOCK_NONBLOCK
    const std::uint32_t kind = argument(0) << 16 | (argument(1) & kTypeMask) << 8 | argument(2);
    // A pair's four messages are recorded when it is used.
    if (shape.path == PathCall::socket)
      shared_.meter.paths().creates_socket(inspector_.describe_call(notification, shape, thread), kind);
    return;
  }
  const UniqueFd fd = shared_.files.borrow(thread.thread_fd.get(), descriptor_of(notification, shape));
  if (!fd) return;
  const DescriptorIdentity identity = shared_.files.identify(fd.get());
  if (identity.kind != DescriptorIdentity::Kind::socket) return;
  const Call call = inspector_.describe_call(notification, shape, thread);
  if (shape.path == PathCall::connect) return shared_.meter.paths().connects(call);
  if (shape.path == PathCall::close) return shared_.meter.paths().closes(call);
  const auto new_descriptor = shape.path == PathCall::dup_to ? static_cast<std::int32_t>(argument(1)) : -1;
  if (shape.path == PathCall::listen) return;  // its close is known by the number that an accept used
  if (const Socket* socket = inspector_.socket_behind(fd.get(), identity.id))
    shared_.meter.paths().duplicates(call, *socket, new_descriptor);
}

}  // namespace dpm

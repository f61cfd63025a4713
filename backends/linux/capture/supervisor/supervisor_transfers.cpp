// sendfile() and splice(): from a file or stream into another, without passing through the process. To the process's
// programmer, what comes out of a stream is received and what goes into one is sent.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "backends/linux/capture/supervisor/supervisor.hpp"

namespace dpm {
namespace {

std::uint64_t argument(const Notification& notification, std::int8_t at) {
  return notification.arguments[static_cast<std::size_t>(at)];
}

// From the offset that the call gives, or else the file's own. All of it if that cannot be known.
std::uint64_t bytes_left_in_file(const Notification& notification, const MeteredCall& shape, int fd) {
  struct stat status = {};
  if (::fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) return UINT64_MAX;
  std::int64_t offset = ::lseek(fd, 0, SEEK_CUR);
  const std::uint64_t given = argument(notification, shape.source_at);
  const auto into = std::as_writable_bytes(std::span(&offset, 1));
  if (given != 0 && read_memory(notification.tid, given, into) != into.size()) return UINT64_MAX;
  return status.st_size > offset ? static_cast<std::uint64_t>(status.st_size - offset) : 0;
}

bool may_wait(const Notification& notification, const MeteredCall& shape, int fd) {
  constexpr std::size_t kFlags = 5;
  const bool splices = shape.source_at == 1;
  return (!splices || (notification.arguments[kFlags] & SPLICE_F_NONBLOCK) == 0) && !is_non_blocking(fd);
}

bool is_pipe(int fd) { return identify(fd).kind == DescriptorIdentity::Kind::pipe; }

// splice() moves something between these: one is a pipe, and not both the same; the one can be read, the other written.
bool can_move(int source, int destination) {
  if (!is_pipe(source) && !is_pipe(destination)) return false;
  const int from = ::fcntl(source, F_GETFL), to = ::fcntl(destination, F_GETFL);
  return from >= 0 && to >= 0 && (from & O_ACCMODE) != O_WRONLY && (to & O_ACCMODE) != O_RDONLY &&
         (to & O_APPEND) == 0 && identify(source) != identify(destination);
}

}  // namespace

// The stream that can be read from this descriptor, if it is one.
Flow* Supervisor::stream_from(int fd, const DescriptorIdentity& identity) {
  if (identity.kind == DescriptorIdentity::Kind::pipe)
    return &meter_.conversations().pipe(identity.device, identity.id);
  Socket* socket = identity.kind == DescriptorIdentity::Kind::socket ? socket_behind(fd, identity.id) : nullptr;
  Flow* flow = socket == nullptr ? nullptr : socket->in;
  return flow == nullptr || flow->kind != ChannelKind::stream ? nullptr : flow;
}

Supervisor::Outcome Supervisor::transfer(const Notification& notification, const MeteredCall& shape,
                                         TrackedThread& thread) {
  const auto descriptor = static_cast<std::int32_t>(argument(notification, shape.source));
  UniqueFd source = borrow(thread, descriptor);
  if (!source) return Outcome::let_go;
  const DescriptorIdentity identity = identify(source.get());
  Flow* flow = stream_from(source.get(), identity);
  if (flow == nullptr) {
    send(notification, shape, thread, bytes_left_in_file(notification, shape, source.get()));
    return Outcome::let_go;
  }
  const UniqueFd destination = borrow(thread, static_cast<std::int32_t>(argument(notification, shape.descriptor)));
  if (!destination || !can_move(source.get(), destination.get())) return Outcome::let_go;
  Asking asking;
  asking.notification = notification;
  asking.identity = identity;
  asking.asked = asked_bytes(notification, shape);
  asking.call = circumstances(notification, shape, thread);
  asking.call.descriptor = descriptor;
  asking.call.counted_in_io = false;
  asking.call.may_wait = asking.terms.may_wait = may_wait(notification, shape, source.get());
  return take_first(thread, asking, {std::move(source), identity, meter_.conversations().find(identity.id)});
}

}  // namespace dpm

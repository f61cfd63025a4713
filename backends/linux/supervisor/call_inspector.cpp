#include "backends/linux/supervisor/call_inspector.hpp"

#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>

namespace dpm {
namespace {

// recv(), send() and similar calls fail at once on a descriptor that is not a socket.
bool can_perform(const MeteredCall& shape, const DescriptorIdentity& identity) {
  return identity.kind == DescriptorIdentity::Kind::socket || shape.flags < 0;
}

}  // namespace

std::uint64_t flags_of(const Notification& notification, const MeteredCall& shape) {
  if (shape.rw_flags >= 0) {
    const bool is_impatient = (notification.arguments[static_cast<std::size_t>(shape.rw_flags)] & RWF_NOWAIT) != 0;
    return is_impatient ? MSG_DONTWAIT : 0;
  }
  return shape.flags < 0 ? 0 : notification.arguments[static_cast<std::size_t>(shape.flags)];
}

std::int32_t descriptor_of(const Notification& notification, const MeteredCall& shape) {
  return static_cast<std::int32_t>(notification.arguments[static_cast<std::size_t>(shape.descriptor)]);
}

Call CallInspector::describe_call(const Notification& notification, const MeteredCall& shape, TrackedThread& thread) {
  cpu_times_.read(thread);
  ++shared_.summary.recorded_calls;
  Call call;
  call.thread = thread.metered;
  call.time = shared_.clock.now();
  call.now_ns = shared_.clock.steady_ns(call.time);
  call.pc = places_.place_of(notification, thread);
  call.load = shared_.kernel.runnable_tasks(call.now_ns);
  call.descriptor = descriptor_of(notification, shape);
  call.counted_in_io = shape.counted_in_io;
  return call;
}

Call CallInspector::at_present(const Call& call) {
  Call present = call;
  present.time = shared_.clock.now();
  present.now_ns = shared_.clock.steady_ns(present.time);
  present.load = shared_.kernel.runnable_tasks(present.now_ns);
  return present;
}

// Without a free descriptor the supervisor cannot look at the call; such calls are counted.
UniqueFd CallInspector::borrow(TrackedThread& thread, std::int32_t descriptor) {
  if (!thread.thread_fd) thread.thread_fd = shared_.kernel.open_thread(thread.metered->tid(), thread.metered->pid());
  UniqueFd fd = thread.thread_fd ? shared_.files.borrow(thread.thread_fd.get(), descriptor) : UniqueFd();
  if (!fd && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) ++unlooked_calls_;
  return fd;
}

std::optional<ResolvedChannel> CallInspector::resolve_channel(const Notification& notification,
                                                              const MeteredCall& shape, TrackedThread& thread) {
  const std::int32_t descriptor = descriptor_of(notification, shape);
  ResolvedChannel channel;
  channel.fd = borrow(thread, descriptor);
  if (!channel.fd) return std::nullopt;
  channel.identity = shared_.files.identify(channel.fd.get(), thread.was_socket(descriptor));
  const bool is_socket = channel.identity.kind == DescriptorIdentity::Kind::socket;
  thread.note_socket(descriptor, is_socket);
  if (channel.identity.kind == DescriptorIdentity::Kind::other || !can_perform(shape, channel.identity))
    return std::nullopt;
  if (!is_socket) return channel;
  channel.socket = socket_behind(channel.fd.get(), channel.identity.id);
  if (channel.socket == nullptr || channel.socket->description.listening) return std::nullopt;
  return channel;
}

std::optional<ResolvedChannel> CallInspector::resolve_listener(const Notification& notification,
                                                               TrackedThread& thread) {
  ResolvedChannel channel;
  channel.fd = borrow(thread, static_cast<std::int32_t>(notification.arguments[0]));
  if (!channel.fd) return std::nullopt;
  channel.identity = shared_.files.identify(channel.fd.get());
  if (channel.identity.kind != DescriptorIdentity::Kind::socket) return std::nullopt;
  channel.socket = socket_behind(channel.fd.get(), channel.identity.id);
  if (channel.socket == nullptr || !channel.socket->description.listening) return std::nullopt;
  return channel;
}

Socket* CallInspector::socket_behind(int fd, std::uint64_t id) {
  if (Socket* known = shared_.meter.conversations().find(id)) return known;
  SocketDescription description = shared_.files.describe_socket(fd);
  if (description.medium == Medium::none) return nullptr;
  const bool stream = description.medium == Medium::tcp || description.medium == Medium::unix_stream;
  if (stream && !description.connected && !description.listening) return nullptr;
  return &shared_.meter.conversations().add(id, std::move(description));
}

Flow* CallInspector::stream_from(int fd, const DescriptorIdentity& identity) {
  if (identity.kind == DescriptorIdentity::Kind::pipe)
    return &shared_.meter.conversations().pipe(identity.device, identity.id);
  Socket* socket = identity.kind == DescriptorIdentity::Kind::socket ? socket_behind(fd, identity.id) : nullptr;
  Flow* flow = socket == nullptr ? nullptr : socket->in;
  return flow == nullptr || flow->kind != ChannelKind::stream ? nullptr : flow;
}

}  // namespace dpm

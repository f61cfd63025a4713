#include "backends/linux/supervisor/call_inspector.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <cerrno>
#include <utility>

#include "backends/linux/supervisor/bypass_watch.hpp"
#include "text/first_names.hpp"

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
  if (shape.splice_flags >= 0) {
    const std::uint64_t flags = notification.arguments[static_cast<std::size_t>(shape.splice_flags)];
    return (flags & SPLICE_F_NONBLOCK) != 0 ? MSG_DONTWAIT : 0;
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
  const bool is_terminal = channel.identity.kind == DescriptorIdentity::Kind::terminal_master;
  if (is_terminal) bypasses_.passes(Bypass::terminal, thread.metered->pid());
  if (is_terminal || channel.identity.kind == DescriptorIdentity::Kind::other || !can_perform(shape, channel.identity))
    return std::nullopt;
  if (!is_socket) return channel;
  channel.socket = socket_behind(channel.fd.get(), channel.identity.id);
  if (channel.socket == nullptr) {
    const Bypass way = way_past(channel.fd.get());
    if (way != Bypass::none) bypasses_.passes(way, thread.metered->pid());
  }
  if (channel.socket == nullptr || channel.socket->description.listening) return std::nullopt;
  note_untold_peer(channel.socket->description, thread.metered->pid());
  return channel;
}

// Of a socket that carries no messages for the meter. Talk with the kernel over netlink is not a message between processes.
Bypass CallInspector::way_past(int fd) {
  const SocketDescription socket = shared_.files.describe_socket(fd);
  if (socket.medium != Medium::none) return Bypass::none;
  const bool is_internet = socket.domain == AF_INET || socket.domain == AF_INET6;
  if (is_internet && socket.protocol == IPPROTO_MPTCP) return Bypass::multipath;
  return talks_with_kernel(socket) ? Bypass::none : Bypass::other_socket;
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

void CallInspector::note_untold_peer(SocketDescription& socket, std::uint32_t pid) {
  if (!std::exchange(socket.peer_is_untold, false)) return;
  ++untold_sockets_;
  untold_processes_.insert(name_for_people(shared_.kernel, pid));
}

std::vector<std::string> CallInspector::warnings() const {
  if (untold_sockets_ == 0) return {};
  return {fmt::format(
      "{} UNIX sockets of {} have unknown other ends: the kernel does not tell them to dpm (no CONFIG_UNIX_DIAG, or "
      "another network namespace); their messages may have no receiver",
      untold_sockets_, first_names({untold_processes_.begin(), untold_processes_.end()}))};
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

// A thread that was just woken in its call is running, and so is one that left the call long ago, or waits for a CPU. A
// thread that has used CPU time at each look counts as computing.
bool CallInspector::may_be_in_call(TrackedThread& thread, std::int32_t descriptor) {
  constexpr int kLooks = 5;
  constexpr std::uint64_t kRunsForNs = 1'000'000;
  const CallState state = shared_.kernel.call_state(thread.metered->pid(), thread.metered->tid(), descriptor);
  if (state != CallState::running) {
    thread.seen_running = 0;
    return state == CallState::in_call;
  }
  std::uint64_t cpu_ns = 0;
  if (!thread.files->cpu_time_ns(cpu_ns)) return false;
  if (cpu_ns >= thread.cpu_seen_running_ns + kRunsForNs) {
    thread.cpu_seen_running_ns = cpu_ns;
    ++thread.seen_running;
  }
  return thread.seen_running < kLooks;
}

// Forgets the sends that are over, though their threads have made no call since. False if there was none.
bool CallInspector::forget_finished(StreamBalance& sends) {
  return sends.forget_finished(shared_.clock.steady_now_ns(), [this](const StreamBalance::Send& send) {
    TrackedThread* thread = send.descriptor < 0 ? nullptr : shared_.table.thread(send.tid);
    return thread != nullptr && !may_be_in_call(*thread, send.descriptor);
  });
}

void CallInspector::read_counters(TrackedThread& thread) {
  ThreadFiles::Transferred transferred;
  if (!thread.files->transferred(transferred)) return;
  shared_.meter.io_counters(*thread.metered, transferred);
  thread.counters_read = true;
}

std::uint64_t CallInspector::bytes_read(TrackedThread& thread) {
  ThreadFiles::Transferred transferred;
  const std::uint64_t before = thread.metered->read_before;
  return thread.files->transferred(transferred) && transferred.read_bytes > before ? transferred.read_bytes - before
                                                                                   : 0;
}

// During an exec in another thread, that thread takes over the first thread's number, and with it the files of /proc
// under that number. So what was read belongs to the first thread only if no living thread has its number.
void CallInspector::read_last_counters(TrackedThread& thread) {
  MeteredThread& metered = *thread.metered;
  ThreadFiles::Transferred transferred;
  if (!thread.files->transferred(transferred)) return;
  const bool may_pass_on = metered.tid() == metered.pid() && thread.process->several_threads;
  if (may_pass_on && !shared_.kernel.is_ending(metered.pid(), metered.tid()).value_or(true)) return;
  shared_.meter.io_counters(metered, transferred);
}

std::optional<StreamBalance::Received> CallInspector::received_by_sends(Flow& flow, int fd, std::uint64_t& waiting) {
  auto received = shared_.meter.received(flow, waiting, false);
  // Bytes of a send that was being made when the socket was inspected may be there now.
  if (received && !received->certain && forget_finished(flow.balance)) {
    waiting = shared_.files.bytes_waiting(fd);
    received = shared_.meter.received(flow, waiting, false);
  }
  if (!received || received->certain || waiting > 0) return received;
  if (!shared_.files.comes_no_more(fd) || shared_.files.bytes_waiting(fd) > 0) return received;
  return shared_.meter.received(flow, 0, true);
}

}  // namespace dpm

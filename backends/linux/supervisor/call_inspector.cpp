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
  call.first_argument = static_cast<std::int32_t>(notification.arguments[0]);
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

Flow* CallInspector::stream_to(TrackedThread& thread, std::int32_t descriptor) {
  const UniqueFd fd = borrow(thread, descriptor);
  const DescriptorIdentity identity = fd ? shared_.files.identify(fd.get()) : DescriptorIdentity{};
  if (identity.kind == DescriptorIdentity::Kind::pipe)
    return &shared_.meter.conversations().pipe(identity.device, identity.id);
  const Socket* socket =
      identity.kind == DescriptorIdentity::Kind::socket ? socket_behind(fd.get(), identity.id) : nullptr;
  return socket == nullptr ? nullptr : socket->out;
}

bool CallInspector::gives_datagrams(int fd, const DescriptorIdentity& identity) {
  const Socket* socket = identity.kind == DescriptorIdentity::Kind::socket ? socket_behind(fd, identity.id) : nullptr;
  return socket != nullptr && keeps_boundaries(socket->description.medium);
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
    TrackedThread* thread = send.first_argument < 0 ? nullptr : shared_.table.thread(send.tid);
    return thread != nullptr && !may_be_in_call(*thread, send.first_argument);
  });
}

bool CallInspector::is_sending(const PartialSend& send, const MeteredThread* seen) {
  TrackedThread* const thread = send.by == seen ? nullptr : shared_.table.thread(send.tid);
  const bool is_same_call = thread != nullptr && thread->metered->call_number == send.call_number;
  return is_same_call && may_be_in_call(*thread, send.first_argument);
}

// A receive that has data does not sleep: a thread that sleeps in a call is in its next one, which was not handed to the supervisor yet.
bool CallInspector::is_receiving(const Flow& flow, const MeteredThread* seen) {
  constexpr int kLooks = 50;
  for (int looks = 0; looks < kLooks; ++looks) {
    if (seen != nullptr && seen->tid() == flow.receiver.tid) return false;
    if (!shared_.meter.may_be_received_from(flow)) return false;
    const TrackedThread* const reader = shared_.table.thread(flow.receiver.tid);
    if (reader == nullptr) return false;
    const std::uint32_t pid = reader->metered->pid();
    if (shared_.kernel.call_state(pid, flow.receiver.tid, flow.receiver.descriptor) != CallState::running) return false;
  }
  return true;
}

bool CallInspector::settle_partial(Flow& flow, const MeteredThread* seen) {
  if (!flow.partial) return true;
  if (is_sending(*flow.partial, seen) || is_receiving(flow, seen)) return false;
  shared_.meter.settle_partial(flow, shared_.files.bytes_waiting_at(flow.partial->other_end));
  return true;
}

// A receive that has data does not sleep, as in is_receiving().
bool CallInspector::is_under_way(const OpenOperation& operation, bool sends) {
  constexpr int kLooks = 50;
  const MeteredThread& by = *operation.thread;
  TrackedThread* const thread = shared_.table.thread(by.tid());
  if (thread == nullptr || thread->metered != &by || by.call_number != operation.call_number) return false;
  if (sends) return may_be_in_call(*thread, operation.first_argument);
  for (int looks = 0; looks < kLooks; ++looks)
    if (shared_.kernel.call_state(by.pid(), by.tid(), operation.first_argument) != CallState::running) return false;
  return true;
}

bool CallInspector::settle_pipe(Flow& flow, const MeteredThread* seen) {
  if (!flow.sent.awaits_pipe() && !flow.received.awaits_pipe()) return true;
  std::vector<TrackedThread*> counted;
  for (const bool sends : {true, false}) {
    for (const OpenOperation& operation : position_of({&flow, sends}).unknown()) {
      if (operation.thread != seen && is_under_way(operation, sends)) return false;
      TrackedThread* const thread = shared_.table.thread(operation.thread->tid());
      const bool is_counted = thread != nullptr && thread->metered == operation.thread && !operation.shows_in_pipe;
      if (is_counted && operation.thread->counted == FlowEnd{&flow, sends}) counted.push_back(thread);
    }
  }
  for (TrackedThread* thread : counted) read_counters(*thread);
  for (const EndUser& user : {flow.sender, flow.receiver})
    if (const auto waiting = bytes_in_pipe(flow, user)) return shared_.meter.settle_pipe(flow, *waiting);
  return false;
}

std::optional<std::uint64_t> CallInspector::bytes_in_pipe(Flow& flow, const EndUser& user) {
  TrackedThread* const thread = shared_.table.thread(user.tid);
  if (thread == nullptr || thread->metered->id() != user.id || !thread->thread_fd) return std::nullopt;
  const UniqueFd fd = shared_.files.borrow(thread->thread_fd.get(), user.descriptor);
  const auto identity = fd ? shared_.files.identify(fd.get(), false) : DescriptorIdentity{};
  const bool is_same = identity.kind == DescriptorIdentity::Kind::pipe &&
                       &shared_.meter.conversations().pipe(identity.device, identity.id) == &flow;
  return is_same ? std::optional<std::uint64_t>(shared_.files.bytes_waiting(fd.get())) : std::nullopt;
}

void CallInspector::read_counters(TrackedThread& thread) {
  ThreadFiles::Transferred transferred;
  if (!thread.files->transferred(transferred)) return;
  shared_.meter.io_counters(*thread.metered, transferred);
  thread.counters_read = true;
}

std::uint64_t CallInspector::bytes_read(TrackedThread& thread) {
  ThreadFiles::Transferred transferred;
  const std::uint64_t before = thread.metered->transferred_before.read_bytes;
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

void CallInspector::settle_units(const Call& call, Flow& flow, int fd, EventCounter& counter) {
  auto received = shared_.meter.received(flow, counter.count, false);
  if (received && !received->certain && forget_finished(flow.balance)) {
    counter = shared_.files.read_event_counter(fd).value_or(counter);
    received = shared_.meter.received(flow, counter.count, false);
  }
  if (received) shared_.meter.settle_units(call, flow, *received, counter.count);
}

}  // namespace dpm

#include "backends/linux/supervisor/restarted_calls.hpp"

#include <utility>

#include "backends/linux/calls/metered_call.hpp"

namespace dpm {
namespace {

constexpr std::size_t kCounted = 64;

QueueFront front_of(const WaitingDatagram& first) { return {first.length_bytes, first.beginning, false}; }

std::uint64_t operations_of(const Flow& flow) { return flow.sends + flow.receives; }

}  // namespace

bool is_same_call(const Notification& one, const Notification& other) {
  return one.call == other.call && one.pc == other.pc && one.arguments == other.arguments;
}

bool is_restart(LocalTime interrupted_at, LocalTime now) {
  constexpr std::int64_t kRestartMaxNs = 100'000'000;
  return (now - interrupted_at).ns < kRestartMaxNs;
}

void note_unmade(Shared& shared, TrackedThread& thread, const Notification& notification) {
  thread.process->is_interrupted = true;
  thread.unmade = {notification, shared.clock.now(), !shared.meter.take_back(*thread.metered)};
}

std::optional<UnmadeCall> take_unmade(TrackedThread& thread, const Notification& notification, LocalTime now) {
  if (!thread.unmade) return std::nullopt;
  const bool is_recent = is_restart(thread.unmade->at, now);
  const bool is_it = is_recent && is_same_call(thread.unmade->notification, notification);
  if (is_it) return std::exchange(thread.unmade, std::nullopt);
  if (!is_recent) thread.unmade.reset();
  return std::nullopt;
}

bool RestartedCalls::is_noted(TrackedThread& thread, const Flow& flow) {
  thread.let_go.reset();
  return thread.process->is_interrupted && shared_.meter.is_quiet(flow, *thread.metered);
}

void RestartedCalls::sends(TrackedThread& thread, const Notification& notification, int fd,
                           const DescriptorIdentity& identity, const Flow& flow) {
  if (!is_noted(thread, flow)) return;
  const std::uint64_t level = shared_.files.memory_not_received(fd);
  thread.let_go = {notification, identity, flow.channel, true, operations_of(flow), level, {}};
}

void RestartedCalls::receives(TrackedThread& thread, const Notification& notification, int fd,
                              const DescriptorIdentity& identity, const Flow& flow, const WaitingDatagram& first) {
  if (!is_noted(thread, flow)) return;
  const std::uint64_t level = datagrams(fd, first);
  if (level > kCounted) return;  // more than were counted
  thread.let_go = {notification, identity, flow.channel, false, operations_of(flow), level, front_of(first)};
}

void RestartedCalls::moves_units(TrackedThread& thread, const Notification& notification,
                                 const DescriptorIdentity& identity, const Flow& flow, std::uint64_t count) {
  if (!is_noted(thread, flow)) return;
  thread.let_go = {notification, identity, flow.channel, false, operations_of(flow), count, {}};
}

void RestartedCalls::receives_bytes(TrackedThread& thread, const Notification& notification,
                                    const DescriptorIdentity& identity, const Flow& flow, std::uint64_t waiting,
                                    bool is_counted) {
  thread.asked.reset();
  if (thread.process->is_interrupted) thread.asked = {notification, flow.channel, flow.received.next()};
  const bool shows_in_socket = identity.kind == DescriptorIdentity::Kind::socket && !flow.exact && !is_counted;
  if (!shows_in_socket || !is_noted(thread, flow)) return;
  thread.let_go = {notification, identity, flow.channel, false, operations_of(flow), waiting, {waiting, 0, true}};
}

bool RestartedCalls::asks_again(const TrackedThread& thread, const Notification& notification, const Flow& flow) const {
  return thread.asked && is_same_call(thread.asked->notification, notification) &&
         thread.asked->channel == flow.channel && !flow.received.has_open() &&
         flow.received.next() == thread.asked->offset;
}

bool RestartedCalls::is_restarted(TrackedThread& thread, const Notification& notification) {
  if (!thread.let_go || !is_same_call(thread.let_go->notification, notification)) return false;
  const LetGoCall& before = *thread.let_go;
  const MeteredCall& shape = *find_metered_call(notification.call);
  const UniqueFd fd = inspector_.borrow(thread, descriptor_of(notification, shape));
  if (!fd || shared_.files.identify(fd.get()) != before.identity) return false;
  if (before.identity.kind == DescriptorIdentity::Kind::eventfd) return are_units_the_same(thread, before, fd.get());
  if (!is_untouched(thread, before, shared_.meter.conversations().find_flow(before.channel))) return false;
  if (before.sending) return shared_.files.memory_not_received(fd.get()) <= before.level;
  if (before.front.stream) return shared_.files.bytes_waiting(fd.get()) == before.level;
  const auto first = shared_.files.look_at_datagrams(fd.get()).next;
  return first && is_same_data(before.front, front_of(*first)) && datagrams(fd.get(), *first) == before.level;
}

bool RestartedCalls::are_units_the_same(TrackedThread& thread, const LetGoCall& before, int fd) {
  const auto counter = shared_.files.read_event_counter(fd);
  if (!counter || counter->count != before.level) return false;
  auto& eventfds = shared_.meter.conversations().eventfds();
  return is_untouched(thread, before, &eventfds.used_by(thread.metered->pid(), counter->id, counter->count));
}

// No other call has moved anything there since, or may be moving something now.
bool RestartedCalls::is_untouched(TrackedThread& thread, const LetGoCall& before, const Flow* flow) {
  return flow != nullptr && flow->channel == before.channel && operations_of(*flow) == before.operations &&
         shared_.meter.is_quiet(*flow, *thread.metered);
}

std::uint64_t RestartedCalls::datagrams(int fd, const WaitingDatagram& first) {
  return 1 + shared_.files.datagrams_behind(fd, first, kCounted).size();
}

}  // namespace dpm

#include "backends/linux/calls/hand_overs.hpp"

#include <fmt/format.h>

#include <utility>

namespace dpm {

// A thread's number is used again, so its name has a time too: another meter of this machine may describe another thread.
HandOvers::Receiver& HandOvers::receiver(const MeteredThread& thread, LocalTime time) {
  Receiver& found = receivers_[thread.id().value];
  if (found.flow != nullptr) return found;
  ChannelInfo described;
  described.owner = thread.id();
  described.medium = ChannelMedium::memory;
  described.receiver.address = fmt::format("{}:{}", thread.tid(), time.ns);
  described.receiver.machine = described.sender.machine = MachineId{0};
  described.name = fmt::format("memory of thread {}", thread.tid());
  found.flow = &conversations_.add_flow(std::move(described));
  return found;
}

void HandOvers::sleeps(const Call& call) {
  Receiver& own = receiver(*call.thread, call.time);
  own.asked = recorder_.event_of(call, EventType::receive_call);
  own.asked->code = conversations_.channel_set_of(*own.flow);
}

void HandOvers::gives(const Call& call, const HandOver& what, const MeteredThread& to) {
  Receiver& receiving = receiver(to, call.time);
  receiving.number = what.number;
  receiving.giver = call.thread->id();
  if (what.by_end) return;
  Event event = recorder_.event_of(call, EventType::send);
  event.peer = to.id();
  event.channel = receiving.flow->channel;
  event.sequence = what.number;
  recorder_.record(call, event);
}

void HandOvers::takes(const Call& call, const HandOver& what, const MeteredThread* from) {
  Receiver& own = receiver(*call.thread, call.time);
  const auto asked = std::exchange(own.asked, std::nullopt);
  // The record of a sleep may have been lost: then this one is of an earlier wait.
  const bool is_of_this = asked && call.thread->at_or_after_last(asked->local_time) == asked->local_time;
  ProcessId giver = from == nullptr ? ProcessId() : from->id();
  if (own.number == what.number) giver = own.giver;
  if (what.by_end) {
    const std::int64_t waited_ns = is_of_this ? (call.time - asked->local_time).ns : 0;
    if (!giver.is_none()) processes_.waited(call, giver, WaitKind::thread_end, waited_ns, Evidence::observed);
    return;
  }
  if (is_of_this) recorder_.record(call, *asked);
  Event event = recorder_.event_of(call, EventType::receive);
  event.peer = giver;
  event.channel = own.flow->channel;
  event.sequence = what.number;
  recorder_.record(call, event);
}

void HandOvers::leave(const MeteredThread& thread) {
  const auto found = receivers_.find(thread.id().value);
  if (found == receivers_.end()) return;
  conversations_.remove_flow(*found->second.flow);
  receivers_.erase(found);
}

}  // namespace dpm

// Which message a process takes in a replay, and what it then performs: in recorded order that of the trace; in arrival and role
// order the first to arrive of those it waits for (replay.hpp).
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/arrived_messages.hpp"
#include "analysis/history/destinations.hpp"
#include "analysis/history/handouts.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/outside_messages.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/replayed_process.hpp"
#include "analysis/history/replayed_timers.hpp"
#include "analysis/history/replica_choice.hpp"
#include "analysis/history/task_performers.hpp"
#include "analysis/history/wanted_messages.hpp"

namespace dpm {

class MessageIntake {
 public:
  // All must outlive it.
  MessageIntake(const History& history, const Roles& roles, Destinations& destinations, const ReplicaChoice& replicas,
                ReplayedTimers& timers);

  void begin(Order order);

  // A message is on its way to process `p`. Returns whether it will be there: not if `p` has gone on without it.
  bool deliver(std::uint32_t p, const ArrivingMessage& message) {
    if (order_ == Order::recorded) {
      arrival_ns_[message.receive] = message.arrival_ns;
      return true;
    }
    if (timers_.is_limit_over(message.receive)) return false;
    queues_[p].push(message);
    return true;
  }
  // Whether process `p` takes it where it stands.
  bool is_wanted(std::uint32_t p, const ReplayedProcess& process, const ArrivingMessage& message) const {
    return order_ == Order::recorded ? process.cursor == message.receive : wanted_.includes(p, process, message);
  }

  // Takes the message that process `p` waits for if it has arrived. Returns when it has or will have; IndexedHeap::kNever if it
  // has not been sent.
  double receive(std::uint32_t p, ReplayedProcess& process, double now_ns) {
    return order_ == Order::recorded ? receive_recorded(process, now_ns) : receive_arrived(p, process, now_ns);
  }

  // What process `p` has sent, whether it arrives or not.
  void sent(std::uint32_t p, ReplayedProcess& process, std::uint32_t receiver) { wanted_.sent(p, process, receiver); }

  // The message that is sent because of this SEND to outside, or null.
  const ExternalArc* answer_from_outside(std::uint32_t send) const { return outside_.answer_to(send); }

  // The process that performs the task of a RECEIVE, or Roles::kNone.
  std::uint32_t performer_of(std::uint32_t receive) const {
    return order_ == Order::role ? performers_.performer_of(receive) : Roles::kNone;
  }
  // Whether process `p` hands out work, or counts messages.
  bool has_handouts(std::uint32_t p) const { return !handouts_[p].empty(); }

  // For a replay that cannot go on otherwise: the message that arrived first, or null; whether one comes from outside, which
  // the process then takes before it is due.
  const ArrivingMessage* first_arrived(std::uint32_t p) const { return queues_[p].empty() ? nullptr : &queues_[p][0]; }
  bool force_from_outside(std::uint32_t p, ReplayedProcess& process);

  // Process `p` does not wait for the message of this RECEIVE any more.
  void drop(std::uint32_t p, std::uint32_t receive);

 private:
  double receive_recorded(ReplayedProcess& process, double now_ns) const;
  double receive_arrived(std::uint32_t p, ReplayedProcess& process, double now_ns);
  void take_from_outside(std::uint32_t p, ReplayedProcess& process, std::uint32_t receive);
  void take(std::uint32_t p, ReplayedProcess& process, const ArrivingMessage& message);
  void take_counted(std::uint32_t p, ReplayedProcess& process, const ArrivingMessage& message) const;
  std::uint32_t begun_by(const ArrivingMessage& message);
  double work_factor(std::uint32_t p, const ReplayedProcess& process) const;

  const History& history_;
  const Roles& roles_;
  Destinations& destinations_;
  ReplayedTimers& timers_;
  WantedMessages wanted_;
  OutsideMessages outside_;
  TaskPerformers performers_;
  std::vector<std::vector<Handout>> handouts_;  // by dispatcher, and by counting process
  std::vector<std::uint8_t> counted_;  // by RECEIVE of theirs: it is one of the handouts; empty if there are none
  Order order_ = Order::recorded;
  std::vector<ArrivedMessages> queues_;   // arrival, role: by process
  std::vector<std::int64_t> arrival_ns_;  // recorded: by RECEIVE
  std::vector<std::uint32_t> gathered_;   // role: by gathering (gathers.hpp), the answers so far
};

}  // namespace dpm

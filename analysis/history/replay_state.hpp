// The state of a replay (replay.hpp). Apart from replay.cpp, which performs it, so that the algorithm stands by itself there.
#pragma once

#include <vector>

#include "analysis/history/indexed_heap.hpp"
#include "analysis/history/message_costs.hpp"
#include "analysis/history/message_intake.hpp"
#include "analysis/history/pair_clocks.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/replay_waits.hpp"
#include "analysis/history/replayed_process.hpp"
#include "analysis/history/replayed_timers.hpp"
#include "analysis/history/shared_machine.hpp"
#include "analysis/history/stream_buffers.hpp"

namespace dpm {

struct Replay::State {
  using Process = ReplayedProcess;
  using Phase = ReplayPhase;

  const History& history;
  MessageCosts costs;
  const Roles roles;
  const double slice_ns;  // 0: machines are shared equally
  const std::vector<OtherLoad> other_load;
  Order order = Order::recorded;
  ReplicaChoice replicas;
  Destinations destinations;
  ReplayedTimers timers;
  QueuedWork queued;
  MessageIntake intake;
  ReplayWaits waits;
  StreamBuffers buffers;

  double now_ns = 0;
  std::vector<Process> processes;
  std::vector<SharedMachine> machines;
  IndexedHeap completions;  // machines
  IndexedHeap arrivals;     // waiting processes
  bool leaves_out = true;   // what retries caused that are not needed
  PairClocks pairs;
  std::uint64_t performed = 0;
  ReplayResult result;

  State(const History& h, const Target& target, Roles r);
  void begin(Order new_order, const std::vector<MachineId>& machine_of, bool keep_schedule);
  void go();
  bool force_one();
  void go_to_the_end();
  void complete(std::uint32_t machine);
  void wake(std::uint32_t p);
  std::int64_t advance(std::uint32_t p);
  void perform(std::uint32_t p, std::uint32_t event);
  void send(std::uint32_t p, std::uint32_t event);
  void deliver(std::uint32_t receiver, const ArrivingMessage& message);
  double wake_for(std::uint32_t receiver, const ArrivingMessage& message, double arrival);
  void create(std::uint32_t event);
  bool waits_for_timer(std::uint32_t p);
  bool leaves_out_retry(std::uint32_t p);
  bool has_role(std::uint32_t p) const {
    return order == Order::role && (roles.is_worker(p) || intake.has_handouts(p) || queued.governs(p));
  }
  void come_late(std::uint32_t send, std::int64_t arrival);
  bool give_up(std::uint32_t p);
  bool go_on_with_queue(std::uint32_t p);
  void go_on_after(std::uint32_t p);
  void go_on_after_queued(std::uint32_t p);
  CpuCost cpu(std::uint32_t p, std::uint32_t event);
  // The CPU time around an event of a process with a queue: what it does when a request comes is spent with its RECEIVE.
  CpuCost cpu_with_queue(std::uint32_t p, std::uint32_t number, bool taken, CpuCost cost) {
    if (queued.is_cpu_of_request(p, number)) cost.before_ns = 0;
    if (taken && queued.is_request(p, number) && queued.is_cpu_of_request(p, number + 1))
      cost.after_ns += costs.cpu(history.events[number + 1], p, p, history.events[number + 1].peer).before_ns;
    return cost;
  }
  bool stands_at_wait(std::uint32_t p) const {
    const Process& process = processes[p];
    return process.phase == Phase::ready && history.events[process.cursor].kind() == HistoryKind::wait &&
           !waits.is_over(process.cursor);
  }
  void end_wait(std::uint32_t wait) {
    if (const auto waiter = waits.end(wait)) arrivals.set(*waiter, now_ns);
  }
  // Whether a sender waits for room (stream_buffers.hpp).
  bool stops_at_full_buffer(std::uint32_t p, const HistoryEvent& send) {
    if (buffers.empty() || send.match == kNoEvent || !buffers.stops(p, send)) return false;
    processes[p].waiting = true;
    processes[p].waited = false;
    return true;
  }
  // The message that process `p` has just taken leaves room.
  void take_out_of_buffer(std::uint32_t p) {
    const std::uint32_t taken = processes[p].taken_send;
    if (buffers.empty() || taken == kNoEvent || history.events[taken].match == kNoEvent) return;
    for (const std::uint32_t sender : buffers.received(history.events[taken])) arrivals.set(sender, now_ns);
  }
  // Where processes wait for room in a circle, the trace shows that there was more of it than is assumed.
  bool release_sender() {
    const auto sender = buffers.release();
    if (sender) arrivals.set(*sender, now_ns);
    return sender.has_value();
  }
  bool receive(std::uint32_t p);
  std::uint32_t receiver_of(std::uint32_t p, std::uint32_t number) const;
};

}  // namespace dpm

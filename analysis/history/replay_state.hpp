// The state of a replay (replay.hpp). Apart from replay.cpp, which performs it, so that the algorithm stands by itself there.
#pragma once

#include <limits>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/history/arrived_messages.hpp"
#include "analysis/history/handouts.hpp"
#include "analysis/history/indexed_heap.hpp"
#include "analysis/history/message_costs.hpp"
#include "analysis/history/pair_clocks.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/replay_waits.hpp"
#include "analysis/history/shared_machine.hpp"
#include "analysis/history/stream_buffers.hpp"
#include "analysis/history/wanted_messages.hpp"

namespace dpm {

inline bool from_outside(const HistoryEvent& event) {
  return event.kind() == HistoryKind::receive && event.match == kNoEvent;
}

inline constexpr std::int64_t kArrivalUnknown = std::numeric_limits<std::int64_t>::min();

// The state of a process with the event at its cursor.
enum class ReplayPhase : std::uint8_t {
  before,  // the CPU time before the event is being used
  ready,   // it can happen; a RECEIVE may wait here
  after,   // a RECEIVE has its message, whose CPU charge is being used
  idle,    // the END has happened, and the process waits for more than it received in the trace's order
};

struct ReplayedProcess : Standing {
  std::uint32_t sent = 0;
  std::uint32_t previous = kNoEvent;
  ReplayPhase phase = ReplayPhase::before;
  bool waiting = false;  // for a message, or to begin
  bool created = true;
  bool waited = false;                  // for what it is about to receive
  bool takes_outside = false;           // forced: take a message from outside before it is due
  std::uint32_t taken_send = kNoEvent;  // the message being received
  std::uint32_t taken_from = kNoPeer;
  std::uint32_t redirect_from = kNoPeer,
                redirect_to = kNoPeer;  // dispatchers: an answer to the first goes to the second
  std::uint32_t first_open = 0;     // its first RECEIVE not yet performed; maintained only if it receives from outside
  std::uint32_t next_handout = 0;   // dispatchers: index into `handouts`
  std::int64_t wake_up_cpu_ns = 0;  // of waking and being woken, not yet spent
  double work_factor = 1;           // of the piece of another member: destinations.hpp
  double sent_at_ns = 0;            // its last SEND
  bool timer_over = false;          // of the event at its cursor
  double timer_end_ns = 0;          // when it is, or would have been
};

struct Replay::State {
  using Process = ReplayedProcess;
  using Phase = ReplayPhase;

  const History& history;
  MessageCosts costs;
  const Roles roles;
  const double slice_ns;  // 0: machines are shared equally
  Order order = Order::recorded;
  std::unordered_map<std::uint32_t, ExternalArc> external_from, external_to;
  ReplicaChoice replicas;
  Destinations destinations;
  const Timers& timers;
  const bool has_timers;
  QueuedWork queued;
  WantedMessages wanted;
  ReplayWaits waits;
  StreamBuffers buffers;
  std::vector<std::uint8_t> takes_outside;     // by process: some RECEIVE has neither SEND nor ExternalArc
  std::vector<std::vector<Handout>> handouts;  // by dispatcher, and by counting process
  std::vector<std::uint8_t> counted;         // by RECEIVE of theirs: it is one of the handouts; empty if there are none
  const std::vector<std::uint32_t> task_of;  // tasks.hpp
  std::vector<std::uint32_t> performer;      // by RECEIVE of a task: the process that performs it; empty if task_of is

  double now_ns = 0;
  std::vector<Process> processes;
  std::vector<SharedMachine> machines;
  IndexedHeap completions;                            // machines
  IndexedHeap arrivals;                               // waiting processes
  std::vector<ArrivedMessages> queues;                // arrival, role: by process
  std::vector<std::int64_t> arrival_ns;               // recorded: by RECEIVE
  std::vector<std::uint8_t> received;                 // arrival, role, if anything comes from outside: by RECEIVE
  std::unordered_map<std::uint32_t, double> late_ns;  // by event that a timer is before: when the late answer comes
  std::unordered_set<std::uint32_t> limits_over;      // RECEIVEs of Timers::limits_ns that have been performed
  std::vector<std::pair<std::uint32_t, std::uint32_t>> left_out;  // events of processes that got their answer in time
  bool leaves_out = true;                                         // what their retries caused
  std::vector<std::uint32_t> gathered;  // role: by gathering (gathers.hpp), the answers so far
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
    return order == Order::role && (roles.is_worker(p) || !handouts[p].empty() || queued.governs(p));
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
  bool receive_recorded(std::uint32_t p);
  bool receive_arrived(std::uint32_t p);
  std::uint32_t next_from_outside(std::uint32_t p);
  void take_outside(std::uint32_t p, std::uint32_t event);
  void take(std::uint32_t p, const ArrivingMessage& message);
  // The RECEIVE that takes the message: its own, or of several answers (gathers.hpp) the next.
  std::uint32_t begun_by(const ArrivingMessage& message) {
    const auto gathering = gathered.empty() ? std::nullopt : roles.gathers->of(message.receive);
    return gathering ? roles.gathers->first_of(*gathering) + gathered[*gathering]++ : message.receive;
  }
  std::uint32_t receiver_of(std::uint32_t p, std::uint32_t number) const;
  double work_factor(std::uint32_t p) const {
    const Process& process = processes[p];
    if (order != Order::role || destinations.empty() || process.source == p) return 1;
    const std::uint32_t piece = task_of[process.cursor] == kNoEvent ? process.cursor : task_of[process.cursor];
    return destinations.work_factor(piece, process.source, p);
  }
};

}  // namespace dpm

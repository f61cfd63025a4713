// Feedback scheduling of programs that run on this machine: its places (cores, groups of cores, NUMA nodes) are the machines.
//
//      live source ──► window ──► policy ──► loop of decisions ──► ProcessPlacing: all threads of a process are bound to a place
//
// Until the first move the kernel places the processes, and each counts as being where it was seen most. A move makes sense only if the
// others stay, so with a first move the other processes that may move are bound to where they are. If the move is undone, all are
// as they were before the decision. Processes that begin later are bound by a later decision only.
//
// A process inherits the CPUs of the one that starts it. So one that has started another within the window is not bound, and one that
// starts another although it is bound is let go, with what it has started: the kernel finds new processes an idle core at once, and a
// decision would come too late for them.
#pragma once

#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/process_placing.hpp"
#include "model/trace_growth.hpp"
#include "scheduling/decisions/decision_loop.hpp"
#include "scheduling/live/thread_places.hpp"

namespace dpm {

struct LiveSchedulerOptions {
  LoopOptions loop;
  WindowLimits window;
  DelayModel delays;  // between places
  // CPU time that the scheduler has used, for events and decisions. No decision is begun that would make it more than kCpuShare of a core,
  // if it takes as long as the one before. Empty: decisions may take what they want.
  std::function<double()> cpu_s = {};
  // When time was 0, on the clock of ProcessInfo::began_ns.
  Duration began_at = {};
  // Bind also processes that start others: their user has asked for it.
  bool binds_starters = false;
};

class LiveScheduler {
 public:
  static constexpr double kCpuShare = 0.018, kFirstDecision_s = 0.03;

  // `policy` and `placing` must outlive it.
  LiveScheduler(const LiveSchedulerOptions& options, Policy& policy, ProcessPlacing& placing, DecisionLoop::Tell tell);

  // What the source has told, in its order: of each batch first what it names, then the events.
  void learn(TraceGrowth growth);
  void take(std::span<const Event> events, Duration now);
  // All that have been lost so far.
  void note_lost(std::uint64_t events) { window_.note_lost(events); }

  // Looks at the machine, decides, moves. To be called some times a second.
  void step(Duration now);

  const SlidingWindow& window() const { return window_; }

 private:
  using Places = std::map<std::uint32_t, MachineId>;  // by pid

  void look();
  void forget_looks();
  void note_start(ProcessId starter, ProcessId started);
  void let_starters_go();
  void lose_places();
  void perform(const ProcessMove& move);
  Result<void> go_back(std::uint32_t pid);
  void hold_the_others();
  void go_back_all();
  MachineId place_of(ProcessId process) const;
  bool may_move(ProcessId process) const;
  Duration age_of(const ProcessInfo& process) const;
  SystemView view() const;
  void note(const JournalEntry& entry);

  Policy& policy_;
  ProcessPlacing& placing_;
  DecisionLoop::Tell tell_;
  TraceInfo info_;
  SlidingWindow window_;
  DecisionLoop loop_;
  ThreadPlaces seen_;
  std::deque<std::vector<MachineId>> moments_;         // the last looks
  Places bound_;                                       // where a decision has bound them
  std::optional<Places> before_;                       // `bound_` before the decision that is under way
  std::map<std::uint32_t, Duration> started_another_;  // by pid: when, within the window
  std::vector<std::uint32_t> to_let_go_;               // by pid
  std::function<double()> cpu_s_;
  double decision_s_ = kFirstDecision_s;  // of CPU time, the last one
  Duration window_length_, began_at_;
  bool binds_starters_;
  std::vector<Event> events_;
};

}  // namespace dpm

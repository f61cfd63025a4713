// A history while it is built: what HistoryBuilder and HistoryParts know.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/history/crossing_messages.hpp"
#include "analysis/history/end_waits.hpp"
#include "analysis/history/growing_list.hpp"
#include "analysis/history/history.hpp"
#include "analysis/history/message_matcher.hpp"

namespace dpm {

// While the meter handles a call, the process is not idle, although its CPU time does not advance.
constexpr std::uint64_t kLookNs = 10'000;

// What is known of a process while its events come in.
struct ProcessBuild {
  GrowingList<HistoryEvent> events;    // `match` counts within the peer until take()
  std::uint32_t events_elsewhere = 0;  // in the part that has the process, if parts keep their events
  std::uint64_t proc_time_ns = 0;      // the latest seen
  std::uint64_t at_last_node_ns = 0;
  std::uint32_t waiting_set = 0;
  std::optional<LocalTime> asked_at;  // of the RECEIVECALL whose RECEIVE has not come
  std::uint64_t asked_proc_time_ns = 0;
  std::optional<LocalTime> sent_at;  // its last SEND
  std::uint32_t calls_since_node = 0;
  std::uint32_t looks_in_vain = 0;
  std::vector<CallsBetween> calls_between;  // `event` counts within the process until take()
  std::vector<UnmetWait> unmet_waits;       // likewise
  std::vector<Pause> pauses;                // likewise
  std::optional<LocalTime> last_at;         // of its latest event that it performed itself
  std::uint64_t last_proc_time_ns = 0;      // then
  std::uint64_t paused_ns = 0;              // since its latest event of the graph
  // RECEIVEs that came before their SEND in the stream, by one clock, and by how much; counted as above.
  std::unordered_map<std::uint32_t, std::int64_t> late_sends;
  // Before its latest RECEIVE: when its work before that would have ended without the wait. INT64_MAX: it was not idle, but worked
  // or was ready while others had the CPU.
  std::int64_t idle_since_ns = 0;
  std::uint64_t ready_time_ns = kNotMeasured, ready_at_last_node_ns = kNotMeasured, ready_when_asked_ns = kNotMeasured;
  MachineId machine;
  LocalSpan span;
  LocalLifetime lifetime;
  bool known = false;
  bool included = false;
  bool seen = false;    // has produced an event of any kind
  bool is_own = false;  // its events are here
  bool starts_with_start = false;
  bool ended = false;
  LocalTime creation;                  // by the clock of its creator
  std::uint32_t created_by = kNoPeer;  // the process with the CREATEPROCESS, and the index of that event
  std::uint32_t created_at = kNoEvent;

  std::uint64_t event_count() const { return events.size() + events_elsewhere; }
  // How long others have had the CPU since then while it was ready; 0 if that is not measured.
  std::uint64_t ready_since(std::uint64_t then_ns) const {
    return ready_time_ns == kNotMeasured || then_ns == kNotMeasured || ready_time_ns < then_ns
               ? 0
               : ready_time_ns - then_ns;
  }

  // A RECEIVE waits anyway: what was asked for in vain before it does not matter.
  void forget_unmet_wait(std::uint32_t event) {
    if (!unmet_waits.empty() && unmet_waits.back().event == event) unmet_waits.pop_back();
  }

  // Notes that a RECEIVECALL found nothing, if the process does something else after it: `event`.
  void found_nothing(const Event& event) {
    const auto asked = std::exchange(asked_at, std::nullopt);
    if (!asked) return;
    ++calls_since_node;
    const std::uint64_t used_ns = event.proc_time_ns - asked_proc_time_ns + ready_since(ready_when_asked_ns);
    const auto until = [&](LocalTime from) {  // damaged times must not overflow
      const auto passed_ns = static_cast<std::uint64_t>(event.local_time.ns) - static_cast<std::uint64_t>(from.ns);
      return static_cast<std::uint64_t>(std::max<std::int64_t>(static_cast<std::int64_t>(passed_ns - used_ns), 0));
    };
    const auto next = static_cast<std::uint32_t>(events.size());
    forget_unmet_wait(next);
    unmet_waits.push_back({next, waiting_set, until(*asked), sent_at ? until(*sent_at) : 0});
    if (used_ns > 0 && unmet_waits.back().since_call_ns < kLookNs) ++looks_in_vain;
  }
};

// An exchange with a process outside: figure 5.3.
struct PendingExternal {
  std::uint32_t send = kNoEvent;
  LocalTime time;
};

// How many events a process had when a stretch of the trace had been read.
struct ReadMark {
  std::uint32_t process = 0, events = 0;
};

struct HistoryBuild {
  Computation computation;
  const TraceInfo* info = nullptr;
  History history;
  std::vector<ProcessBuild> processes;
  MessageMatcher matcher;
  CrossingMessages crossing;
  std::unordered_map<std::uint64_t, PendingExternal> pending_externals;  // by (process, process outside)
  std::vector<ExternalArc> external_arcs;                                // event numbers within `external_owner`
  std::vector<ProcessId> external_owner;
  EndWaits end_waits;
  std::uint64_t sends = 0, receives = 0, duplicates = 0, backward_clocks = 0, moved = 0;
  std::vector<ReadMark> marks;  // of parts that keep their events; those of one stretch beside each other
  bool any_proc_time = false;
  bool ended = false;
  bool is_divisible = true;  // of a part: nothing was found that depends on the order between processes
  std::string refused;       // why a history cannot be built

  void add(const Event& event);
  void mark();  // notes how far each process is
  void note_lifetime(const Event& event, ProcessBuild& process) const;
  static void note_pause(const Event& event, ProcessBuild& process);
  void add_send(const Event& event, ProcessBuild& process);
  void add_receive(const Event& event, ProcessBuild& process);
  void add_create(const Event& event, ProcessBuild& process);
  void add_start(const Event& event, ProcessBuild& process);
  void add_wait(const Event& event, ProcessBuild& process);
  std::uint32_t append(const Event& event, ProcessBuild& process, HistoryKind kind, ArcKind arc);
  void match(const Event& event, MessageEnd end);
  void cross(const Event& event, MessageEnd end);
  void remember_external(const Event& event, std::uint32_t index);
  void answer_external(const Event& event, std::uint32_t index);
  ProcessBuild& process_of(ProcessId id);
  bool is_included(ProcessId id) { return id.value < processes.size() && process_of(id).included; }

 private:
  std::vector<std::uint32_t> marked_;  // by process: events at the last mark
};

}  // namespace dpm

// The program history graph (thesis 5.2.3): every process is a list of events joined by its CPU time, and every message
// joins its SEND to its RECEIVE. The common foundation of parallelism, prediction, causality and the space-time
// diagram.
//
//      A  o--3--S-----2-----R--4--o        S SEND, R RECEIVE; numbers on the lines are CPU time,
//                \         /               the slanted arcs are messages.
//      B  o---5---R--1---S----2---o
//
// A WAIT joins the waiter to its waker in the same way, but without a message: the arc takes no time and costs nothing.
// A wait for the end of a process continues after the last event of that process, and so after all of its CPU time:
//
//      parent  o--1--C-----------------W--2--o     C CREATEPROCESS, W WAIT
//                     \               /
//      child           o------7------K             K its end
//
// Events are kept in per-process arrays, never behind pointers: 24 bytes each, so that 10^8 of them fit in memory.
// In-degree is at most two: the process's previous event, and one SEND (or the CREATEPROCESS that began the process, or
// what a WAIT waited for).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "model/divided_sink.hpp"
#include "model/event_source.hpp"

namespace dpm {

enum class HistoryKind : std::uint8_t {
  send,       // `match` is its RECEIVE
  receive,    // `match` is its SEND
  create,     // `match` is the first event of the process it created
  start,      // first event of a created process; `match` is the CREATEPROCESS
  end,        // end of the process's record: carries the CPU time after its last message
  move_data,  // a message that a kernel sent for the process: no process receives it, but later messages to `peer` cannot
              // overtake it
  wake,       // lets another process continue without a message, as by its end. `match` is the `wait`
  wait,       // continues when another process has let it; `match` is the `wake`
};

// It cannot happen before its `match` has.
constexpr bool needs_match(HistoryKind kind) {
  return kind == HistoryKind::receive || kind == HistoryKind::start || kind == HistoryKind::wait;
}

// It sends a message, which takes the delay model's time.
constexpr bool sends_message(HistoryKind kind) { return kind == HistoryKind::send || kind == HistoryKind::move_data; }

// How the arc into (or out of) an event is known.
enum class ArcKind : std::uint8_t {
  none,      // an event that has no partner (end, move_data)
  proven,    // both ends are in the trace
  inferred,  // both ends are in the trace, joined by circumstantial evidence
  outside,   // the other end is a process that was not metered or is outside the computation
  missing,   // the other end should be in the trace and is not: a message still queued at the end, or a lost event
};

inline constexpr std::uint32_t kNoEvent = 0xffffffffu;
inline constexpr std::uint32_t kNoPeer = 0xffffffu;  // HistoryEvent::peer of an event that names no other process

struct HistoryEvent {
  std::uint64_t cpu_ns = 0;        // CPU time the process used since its previous event in this graph
  std::uint32_t match = kNoEvent;  // index into History::events of the other end
  std::uint32_t length_bytes = 0;
  // SEND: the channel used. RECEIVE: the channel SET waited for (TraceInfo::channel_sets). END: the set the process was
  // still waiting for when the trace ended, or 0.
  std::uint32_t channel = 0;
  std::uint32_t peer : 24 = kNoPeer;  // the other process, even when it is outside
  std::uint32_t kind_bits : 3 = 0;
  std::uint32_t arc_bits : 3 = 0;
  // RECEIVE, by its own machine's clock: `waited`, it asked for the message before the message came; `slept`, it was
  // idle, or had asked, when a process of that machine sent the message (a process that waits for several in poll()
  // sleeps without asking). WAIT: `waited`, what it waited for had not happened yet.
  std::uint32_t waited : 1 = 0;
  std::uint32_t slept : 1 = 0;

  HistoryKind kind() const { return static_cast<HistoryKind>(kind_bits); }
  ArcKind arc() const { return static_cast<ArcKind>(arc_bits); }
};

static_assert(static_cast<unsigned>(HistoryKind::wait) < 8, "kind_bits has three bits");
static_assert(sizeof(HistoryEvent) == 24, "24 bytes an event resident: 10^8 events fit in 2.4 GB");

// Time spent in a process outside the computation, seen from inside (thesis figure 5.3): from a SEND to it until the
// next RECEIVE from it, by the sender's machine's clock. In the graph it is an arc between two events of one process.
struct ExternalArc {
  std::uint32_t from = kNoEvent;
  std::uint32_t to = kNoEvent;
  std::uint64_t elapsed_ns = 0;
};

// Calls between two events of the graph that are not events themselves: they asked for messages and found nothing, or
// passed more bytes of a message already begun. They matter where calls are metered, and so cost CPU time.
struct CallsBetween {
  std::uint32_t event = kNoEvent;
  std::uint32_t calls = 0;
};

// A wait for messages that ended without one: the last RECEIVECALL before `event`, which is not a RECEIVE. Times are by
// the process's machine's clock, to the point where it went on: CPU time that it used from there on is not in them.
struct UnmetWait {
  std::uint32_t event = kNoEvent;
  std::uint32_t channel_set = 0;
  std::uint64_t since_call_ns = 0;
  std::uint64_t since_send_ns = 0;  // from its last SEND; 0: there is none
};

// Time before `event` in which the process neither used CPU time nor asked for a message, by its machine's clock. Of simulated processes
// alone: a real program also pauses for its disk and for its locks.
struct Pause {
  std::uint32_t event = kNoEvent;
  std::uint64_t ns = 0;
};

// When a process performed its first and last SEND, RECEIVE, CREATEPROCESS or WAIT, by its machine's own clock. Only
// differences within one process are meaningful; they are the trace's own measure of elapsed time.
struct LocalSpan {
  LocalTime first, last;
  std::uint32_t first_event = kNoEvent, last_event = kNoEvent;  // the events at those times; kNoEvent: there is none
};

// From the first event of a process, of any type, to its last, by its machine's own clock; for a process that was
// created on that machine, from its creation.
struct LocalLifetime {
  LocalTime first, last;
  MachineId machine;
  bool seen = false;  // false: it has no event
};

struct History {
  TraceInfo info;  // `in_computation` says which processes the graph was built for
  // Events of process p are events[first_event[p] .. first_event[p + 1]), in the order it performed them.
  std::vector<std::uint32_t> first_event;
  std::vector<HistoryEvent> events;
  std::vector<ExternalArc> external_arcs;      // by increasing `to`
  std::vector<CallsBetween> calls_between;     // by increasing event
  std::vector<UnmetWait> unmet_waits;          // by increasing event
  std::vector<Pause> pauses;                   // by increasing event
  std::vector<LocalSpan> local_spans;          // by process
  std::vector<LocalLifetime> local_lifetimes;  // by process
  std::vector<std::uint32_t> looks_in_vain;    // by process: RECEIVECALLs that did not wait, after which it worked on
  bool receive_calls_metered = false;          // false: it is not known which channels a RECEIVE waited for

  // What could not be placed (ArcKind::missing); shown with every result that uses the graph.
  std::uint64_t receives_without_send = 0;  // from metered processes of the computation: the trace has lost something
  std::uint64_t sends_without_receive = 0;  // still queued at the end, or lost
  std::uint64_t waits_without_waker = 0;    // of processes that should be in the trace
  std::uint64_t circles = 0;                // arcs removed because the trace contradicts itself (circles.hpp)
  std::vector<std::string> warnings;

  std::span<const HistoryEvent> of(ProcessId process) const {
    return std::span(events).subspan(first_event.at(process.value),
                                     first_event.at(process.value + 1) - first_event.at(process.value));
  }
  // T: the CPU time of every process of the computation, on the machines it was traced on.
  std::uint64_t cpu_ns() const;
  std::uint32_t process_count() const { return static_cast<std::uint32_t>(first_event.size() - 1); }
  ProcessId owner_of(std::uint32_t event) const;  // by binary search
};

// Which processes are the computation. Messages to and from the others become `outside`, and the others have no events.
struct Computation {
  std::vector<std::string> only = {};  // process names; empty: every process the trace marks as in the computation
  bool all_processes = false;          // every process of the trace, users and disks too
  bool external_time = false;          // model time spent outside as in figure 5.3
};

// What becomes of the events of parts (model/divided_sink.hpp): one part takes those of all, or each keeps its own, and has a History
// without events.
enum class PartsOfHistory : std::uint8_t { gathered, kept };

class HistoryParts;
class HistoryShare;
class PartFacts;
struct HistoryBuild;

// Builds a History from a stream of events: needs SEND and RECEIVE with PROCTIME, and uses RECEIVECALL, CREATEPROCESS,
// STARTPROCESS, DESTROYPROCESS and WAIT where they were metered.
//
// SEND and RECEIVE are matched by (sender, channel, sequence) through a hash table of the messages seen at one end
// only, so memory beyond the graph depends on the messages in flight, whatever the numbers are: gaps and huge numbers
// cost nothing. A process is assumed to have used no CPU time before it was metered, and to have stayed on its first
// machine.
class HistoryBuilder : public DividedSink {
 public:
  explicit HistoryBuilder(Computation computation = {}, PartsOfHistory parts = PartsOfHistory::gathered);
  ~HistoryBuilder() override;

  void on_begin(const TraceInfo& info) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // history_parts.hpp: a SEND is joined to its RECEIVE by the part of its receiver.
  void divide(const Shares& shares) override;
  int rounds() const override;
  void put_for(const Shares& shares, int round, std::vector<ByteWriter>& for_part) override;
  void take_from(const Shares& shares, int round, std::uint32_t part, ByteReader& in) override;
  void give(ByteWriter& out) override;
  void take(ByteReader& in) override;
  bool is_divisible() const override;
  bool is_gathered() const override { return kept_ == nullptr; }

  // Call after on_end(). Refuses names in Computation::only that the trace does not have, and a trace without any SEND
  // or WAIT.
  Result<History> take();
  // Of a part that keeps its events, once, after take().
  HistoryShare take_share();

 private:
  std::unique_ptr<HistoryBuild> state_;
  std::unique_ptr<HistoryParts> parts_;
  std::unique_ptr<PartFacts> kept_;  // null: the parts are gathered
  std::uint64_t unmarked_events_ = 0;
};

}  // namespace dpm

// The operations of every process of a trace, message by message, with both ends joined: what a twin is made from.
//
// The history graph (analysis/history) has no codes of messages, no channel sets of single calls and no times; a twin
// needs all three, to tell kinds of messages apart, to see what a process waited for, and to know how long an unmetered
// process took. So this sink keeps its own record: 88 bytes a SEND or RECEIVE.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/event_source.hpp"

namespace dpm::twin {

inline constexpr std::uint32_t kNone = 0xffffffffu;

enum class OperationKind : std::uint8_t {
  send,
  receive,
  move,  // a message of a MOVEDATA: no process receives it, but later messages to the same process do not overtake it
};

// What passes from one process to another. The creation of a process and a wait for its end are recorded as messages
// without length: from its creator to it, its first receive; and from it to the waiter, its last send.
enum class Passes : std::uint8_t { message, beginning, end };

// How a process passed time without CPU time (idle_times.hpp).
struct IdleBefore {
  std::uint64_t slept_ns = 0;
  std::uint64_t gave_up_ns = 0;  // in receives that took nothing
  std::uint32_t give_ups = 0;    // such receives
};

struct Operation {
  OperationKind kind = OperationKind::send;
  Passes what = Passes::message;
  std::uint32_t peer = kNone;  // process number
  std::uint32_t code = 0;
  std::uint32_t bytes = 0;
  std::uint32_t channel = kNone;
  std::uint32_t set = kNone;    // receive: the channel set waited for; kNone: not known
  std::uint32_t match = kNone;  // operation number at `peer` of the other end
  std::uint64_t cpu_ns = 0;     // since the process's previous operation
  IdleBefore idle = {};         // since then; a receive: before it began to wait
  std::int64_t time_ns = 0;     // by the clock of the process's machine
  std::int64_t called_ns = 0;   // receive: when it began to wait, by the same clock
};

struct ProcessRecord {
  std::vector<Operation> operations;
  std::uint64_t tail_cpu_ns = 0;  // after the last operation
  IdleBefore tail_idle = {};
  MachineId machine;
  bool metered = false;  // has events; the others are known from their peers' operations
  bool ended = false;    // by itself
  bool waits_at_end = false;

  // Whether it sends unprompted: what it receives first, if anything, did not make it send.
  bool speaks_first() const;
};

struct Recording {
  TraceInfo info;
  std::vector<ProcessRecord> records;  // by process number
  std::uint64_t events = 0;            // of all types
  std::uint64_t messages = 0;
  std::uint64_t sends_without_receive = 0, receives_without_send = 0;  // between metered processes
  std::uint64_t without_peer = 0;  // SENDs and RECEIVEs whose other end is not known
  std::uint64_t created = 0;       // processes created while the trace ran
  double elapsed_s = 0;  // from the first event of the computation to its last, on the machine with the longest time
  LossReport losses;
};

class RecordingSink : public EventSink {
 public:
  RecordingSink();
  ~RecordingSink() override;

  void on_begin(const TraceInfo& info) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // Call after on_end(). Refuses a trace without a message that has both ends, and one whose events name processes that
  // it does not describe.
  Result<Recording> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dpm::twin

// What every process of a trace did, message by message, with both ends joined: what a twin is made from.
//
// The history graph (analysis/history) keeps no codes of messages, no channel sets of single calls and no times; a twin
// needs all three, to tell kinds of messages apart, to see what a process waited for, and to know how long somebody
// who was not metered took. So this sink keeps its own record: 64 bytes a SEND or RECEIVE.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "model/event_source.hpp"

namespace dpm::twin {

inline constexpr std::uint32_t kNone = 0xffffffffu;

enum class OpKind : std::uint8_t {
  send,
  receive,
  move,  // a message of a MOVEDATA: nobody receives it, but later messages to the same process do not overtake it
};

// What passes from one process to another. That a process was created, and that its end was waited for, are told as
// messages of no length: from its creator to it, the first that it receives, and from it to the waiter, its last.
enum class Passes : std::uint8_t { message, beginning, end };

struct Op {
  OpKind kind = OpKind::send;
  Passes what = Passes::message;
  std::uint32_t peer = kNone;  // process number
  std::uint32_t code = 0;
  std::uint32_t bytes = 0;
  std::uint32_t channel = kNone;
  std::uint32_t set = kNone;    // receive: the channel set waited for; kNone: not known
  std::uint32_t match = kNone;  // op number at `peer` of the other end
  std::uint64_t cpu_ns = 0;     // since the process's previous op
  std::int64_t time_ns = 0;     // by the clock of the process's machine
  std::int64_t called_ns = 0;   // receive: when it began to wait, by the same clock
};

struct Life {
  std::vector<Op> ops;
  std::uint64_t tail_cpu_ns = 0;  // after the last op
  MachineId machine;
  bool metered = false;  // has events; the others are known from what their peers did
  bool ended = false;    // by itself
  bool waits_at_end = false;

  // Of its own accord: what it receives first, if anything, is not what made it send.
  bool speaks_first() const;
};

struct Recording {
  TraceInfo info;
  std::vector<Life> lives;   // by process number
  std::uint64_t events = 0;  // of all types
  std::uint64_t messages = 0;
  std::uint64_t sends_without_receive = 0, receives_without_send = 0;  // between metered processes
  std::uint64_t without_peer = 0;  // SENDs and RECEIVEs whose other end nobody knows
  std::uint64_t created = 0;       // processes born while the trace ran
  double elapsed_s = 0;            // from the first event of the computation to its last, on the machine where longest
  LossReport losses;
};

class Recorder : public EventSink {
 public:
  Recorder();
  ~Recorder() override;

  void on_begin(const TraceInfo& info) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // After on_end(). Refuses a trace without a message that has both ends, and one whose events name processes it does
  // not describe.
  Result<Recording> take();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace dpm::twin

// A simulation of message-driven processes, as simple as possible: every step looks at every process. It shares no code
// with the replay that it checks, except the delay model.
//
// A process is a function from the message it receives (none at its beginning) to what it does next. Machines share
// their cores equally among runnable processes, none of which uses more than one. The result is the stream of events a
// meter would have produced, and the true elapsed time.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm::test {

struct ObviousMessage {
  std::uint32_t sender = 0;
  std::uint32_t channel = 0;
  std::uint32_t bytes = 1;
  std::uint64_t id = 0;      // unique in a run, and the same in every placement
  std::uint32_t number = 0;  // for the programs: what is left to do
  bool timer = false;        // no message: the wait has taken its time
};

struct ObviousStep {
  enum class Kind { compute, send, move_data, create } kind = Kind::compute;
  std::int64_t work_ns = 0;  // compute, for a machine of speed 1
  std::uint32_t to = 0;      // send, move_data: the receiver; create: the process
  ObviousMessage message;    // send, move_data
};

struct ObviousReaction {
  std::vector<ObviousStep> steps;
  std::uint32_t wait_set = 0;  // what it waits for afterwards, index into TraceInfo::channel_sets
  bool ends = false;           // it does not wait but ends
  std::int64_t wait_ns = -1;   // how long it waits; negative: without end
};

// `message` is null at the beginning of the process.
using ObviousProgram = std::function<ObviousReaction(std::uint32_t process, const ObviousMessage* message)>;

struct ObviousSystem {
  TraceInfo info;  // machines, processes, channels, channel sets and delays
  ObviousProgram program;
  std::vector<bool> created_later;  // by process: begins when another creates it

  // If not empty: the ids of the messages each process receives, in this order and no other.
  std::vector<std::vector<std::uint64_t>> order;
};

struct ObviousRun {
  std::vector<Event> events;  // in order of time
  double elapsed_ns = 0;      // until the last process did its last work
  std::int64_t cpu_ns = 0;
  std::vector<std::vector<std::uint64_t>> order;  // the ids each process received
};

ObviousRun simulate(const ObviousSystem& system, const std::vector<MachineId>& machine_of);

}  // namespace dpm::test

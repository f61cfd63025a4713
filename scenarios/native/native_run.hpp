// A scenario as a real program: every process an operating system process of this machine, its messages over sockets.
//
// The same programs run as in the simulator (model/message_calls.hpp), so the two can be compared. Processes are
// children of the caller and never outlive it. The run ends when every process that is not a service has
// ended, when one fails, when all of them wait for each other, at the scenario's limits (of real time), or by a signal.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "model/result.hpp"
#include "model/scenario.hpp"

namespace dpm {

struct NativeOptions {
  bool modelled_work = false;  // did_work() uses the CPU time that it is given, as compute() does
  bool pin = false;            // each machine one core of this one
  std::function<void(const PrintedLine&)> on_line = {};  // what processes print, while they run
};

struct NativeKind {
  std::uint32_t code = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

struct NativeProcess {
  std::string name;
  std::string machine;
  std::optional<int> core;
  bool in_computation = true;
  std::string final_state;  // "ended", "waits for a message from 'a'", "runs"
  std::uint64_t cpu_ns = 0;
  std::uint64_t messages_sent = 0;  // of its own, and the parts of the data it moved
  std::uint64_t bytes_sent = 0;
  std::uint64_t messages_received = 0;
  std::uint64_t data_received = 0;     // parts of the data that were moved to it
  std::uint64_t messages_dropped = 0;  // sent to processes that had ended, and replies that came too late for it
  std::vector<NativeKind> kinds;
};

struct NativeTraffic {
  std::string from, to;
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

struct NativeOutcome {
  // "every process ended", "deadlock", "the time limit of 10 s", "the message limit of 1000 messages", "signal
  // 'Interrupt'", or "an error".
  std::string ended_by;
  std::string failure;  // why it was an error
  int signal = 0;
  bool at_limit = false;             // one that the scenario sets
  std::vector<std::string> blocked;  // processes that had not ended, and what they were doing

  Duration elapsed;                      // until the last activity of a process of the computation
  Duration elapsed_all;                  // of any process
  std::vector<NativeProcess> processes;  // in the order of the scenario
  std::vector<NativeTraffic> traffic;
  std::vector<PrintedLine> printed;

  std::uint64_t messages() const;      // sent by programs, without the data they moved
  std::uint64_t total_cpu_ns() const;  // T, of the computation
  double parallelism() const;          // P = T / elapsed, the parallelism that was really there
  bool ended_well() const { return failure.empty() && signal == 0 && (at_limit || blocked.empty()); }
};

// An Error if the scenario cannot run natively, or the system refuses to start it.
Result<NativeOutcome> run_native(const Scenario& scenario, const NativeOptions& options = {});

}  // namespace dpm

// A few machines in one test: runs programs written against MessageCalls in simulated time, with the delays of a
// DelayModel and processors shared evenly, and returns how long it took. An independent, slow and simple stand-in for
// backends/sim: enough for links set up by name, sends, receives and computing; any other call of a program ends the
// test.
//
// Processes are threads of which exactly one runs at a time, so a run is the same every time.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "model/delay_model.hpp"
#include "model/program.hpp"

namespace dpm::test {

struct RoomProcess {
  std::string name;
  std::string machine;
  Program program;
};

struct RoomResult {
  bool deadlock = false;                // processes wait for messages that will never be sent
  std::string error;                    // what a process threw, if one did
  double makespan_s = 0;                // until the last process ends
  std::map<std::string, double> cpu_s;  // by process
  std::uint64_t messages = 0;
  std::vector<std::pair<std::string, std::uint32_t>> sent;  // sender and size of every message, in order of sending

  double total_cpu_s() const {
    double sum = 0;
    for (const auto& [process, seconds] : cpu_s) sum += seconds;
    return sum;
  }
  double parallelism() const { return total_cpu_s() / makespan_s; }
};

// `shared_processors` false: a process computes as if it were alone on its machine (the thesis's steps one and two).
RoomResult run_in_room(const std::vector<RoomProcess>& processes, const DelayModel& delays, bool shared_processors);

}  // namespace dpm::test

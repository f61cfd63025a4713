// The way back from the filters to the system (1988 paper V.B, figure 4): what filters pass on to a process that schedules.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "model/event.hpp"
#include "model/time.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// A machine as its kernel reports it.
struct MachineNow {
  double speed = 1;
  bool on = true;
};

struct ReducerInput {
  const TraceInfo& info;
  std::span<const Event> events;  // that have come since the last message
  std::span<const MachineNow> machines;
  std::uint64_t lost_events = 0;  // on their way to filters, all together
};

struct Feedback {
  std::string process;                                                // gets the messages
  Duration every;                                                     // at the most often
  std::function<std::vector<std::byte>(const ReducerInput&)> reduce;  // the body of a message
};

// A scheduler as a scenario describes it.
struct SchedulerDescription {
  std::string policy;
  std::string machine;                 // that it runs on; empty: the first filter's
  std::vector<std::string> processes;  // that it may move; empty: those of the computation
  Duration every = Duration::from_seconds(1);
  Duration window = Duration::from_seconds(10);
  Duration settling = Duration::from_seconds(2);
  Duration hold = Duration::from_seconds(60);
  Duration horizon = Duration::from_seconds(60);
  Duration decision_cpu = Duration::from_seconds(0.01);  // of one message from a filter, with the decision that follows
  double gain_min = 0.03;
  std::uint64_t evaluations = 300;
  std::uint32_t state_bytes = 1000;                   // of a process, which travel when it is moved
  std::map<std::string, std::string> placement = {};  // of the policy `fixed`
  std::vector<std::string> compare = {};              // policies to run beside each other
  std::uint64_t static_placements_max = 0;            // to try, without a scheduler; 0: none
};

}  // namespace dpm

// How parallel a computation is: P = T / t_max, in the three steps of thesis 5.2.3.
//
//   no_delay   unlimited machines, messages take no time: what the program's structure allows.
//   delay      unlimited machines, messages take the delay model's time on the target placement.
//   delay_cpu  processes on one machine share its CPU as well: what an execution would show, if nothing else held it up.
//   other_load the same, on machines that also do what they did for other computations (other_load.hpp).
//
// T is the CPU time of all processes on the target's machines, with the target's CPU charges for messages; t_max is the
// longest path through the graph (with delay_cpu: the time until the last process is done). 1 <= P <= processes in the
// first step; P <= machines in the third.
//
// Message arcs follow the recorded order here; analysis/prediction asks what another order of receives would do.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/history_share.hpp"
#include "analysis/history/replay.hpp"
#include "analysis/history/target.hpp"
#include "analysis/parallelism/as_it_ran.hpp"
#include "analysis/parallelism/longest_path.hpp"
#include "analysis/parallelism/other_load.hpp"
#include "model/result.hpp"

namespace dpm {

enum class SharingMethod : std::uint8_t {
  replay,      // processor sharing, exact
  thesis1984,  // Appendix A: arcs reweighted by the uncontended schedule. Can exceed the number of machines; what the
               // thesis printed
  none,        // the third step is left out
};

std::string_view name_of(SharingMethod method);  // "replay", "thesis1984", "none"
std::optional<SharingMethod> sharing_method_from_name(std::string_view name);

struct ParallelismStep {
  double T_s = 0;
  double t_max_s = 0;
  double P = 0;  // 0 if t_max is 0
};

struct Parallelism {
  RunTimes run;            // as it ran, by its own clocks
  FalseOverlaps overlaps;  // of the third step's replay; not searched for with thesis1984
  ParallelismStep no_delay;
  ParallelismStep delay;
  ParallelismStep delay_cpu;
  std::optional<ParallelismStep> other_load;  // with the replay, where the trace has the load of the machines
  std::vector<MachineLoad> machines;          // then
  SharingMethod method = SharingMethod::replay;
  std::string placement;
};

struct StepPaths {
  LongestPath no_delay, delay;
};

struct PassedTogether {
  StepPaths paths;
  std::uint64_t traced_cpu_ns = 0;
};

// Several workers that pass through the first two steps together.
class StepWorkers {
 public:
  virtual ~StepWorkers() = default;
  // All call it, each with its share of one history. The first has what all found; the others, and the first if they cannot do it
  // together, an error.
  virtual Result<PassedTogether> pass(const HistoryShare& share, MessageCosts& costs) = 0;
};

// Refuses a history without CPU time, and one whose receives wait for each other in a circle (a damaged trace). `schedule` gets that
// of the third step's replay.
Result<Parallelism> measure_parallelism(const History& history, const Target& target,
                                        SharingMethod method = SharingMethod::replay,
                                        std::optional<Schedule>* schedule = nullptr);

// Adds the step with other load, after the third. `schedule` is that of the third.
void add_other_load(const History& history, Target target, const Schedule& schedule, std::vector<MachineLoad> loads,
                    Parallelism& parallelism);

// A sentence, if other load makes the longest path longer by a twentieth.
std::optional<std::string> warning_of_other_load(const Parallelism& parallelism);

// The first two steps, by several workers. `history` has no events.
Result<Parallelism> measure_together(const History& history, const HistoryShare& share, const Target& target,
                                     StepWorkers& workers);

// The third step's schedule: when every event happened, for the space-time diagram.
Result<Schedule> contended_schedule(const History& history, const Target& target);

}  // namespace dpm

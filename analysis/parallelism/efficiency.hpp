// How the processors of a computation become its P: the efficiencies of the POP project, as a ladder of factors.
//
// Each process has a processor of its own, so N of them could do T / N each. P / N is the parallel efficiency, and it is the product
// of the factors, exactly:
//
//   load balance   (T / N) / max T_p               T_p is the CPU time of process p, its system calls for messages included
//   serialisation  max T_p / t_no_delay            processes wait for each other, although messages take no time
//   transfer       t_no_delay / t_delay            messages take time
//   CPU sharing    t_delay / t_delay_cpu           processes wait in the run queues of their machines
//   unexplained    t_delay_cpu / elapsed           timers, disks, locks, processes outside, other programs, the meter
//
// The first three are those of POP (https://pop-coe.eu/node/69): load balance is the mean of useful computation divided by its maximum;
// communication efficiency is max T_p / runtime, and splits into serialisation, which is that of the run on an ideal network, and
// transfer, the runtime on the ideal network divided by the runtime. POP simulates the ideal network; here it is the first of the steps in
// parallelism.hpp. POP's programs have a core for each process and do nothing but compute and communicate, so their ladder
// ends there. Here `t_delay` takes the place of the runtime, and the last two factors are what is between it and the run.
//
// The first four are at most 1. The last one can exceed 1, where the replay takes longer than the run.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"
#include "analysis/parallelism/critical_path.hpp"
#include "analysis/parallelism/parallelism.hpp"

namespace dpm {

enum class EfficiencyFactor : std::uint8_t { load_balance, serialisation, transfer, sharing, unexplained };

inline constexpr double kGoodEfficiency = .8;  // POP's line: a lower factor is worth looking at

// Which process, or messages from which process to which, a factor is owed to most.
//   load_balance   the process with the most CPU time: `seconds` of it
//   serialisation  the process with the most work on the longest path, except that one; none: time outside
//   transfer       the messages that take the most time on the longest path
//   sharing        the process that waits longest for a CPU on the longest path
//   unexplained    the process whose life, from its first message on, is longest beyond that in the replay: by `seconds`
// A factor of 1 is owed to none. The longest path is that of the third step.
struct EfficiencyBlame {
  ProcessId process;
  ProcessId receiver;  // transfer: of the messages that `process` sends
  double seconds = 0;
};

struct EfficiencyStep {
  EfficiencyFactor factor = EfficiencyFactor::load_balance;
  double value = 1;
  double P = 0;  // that is left after this factor and those before it
  std::optional<EfficiencyBlame> blame;
  // P, if this were mended and the rest were as it is. Of factors below kGoodEfficiency only: most cost a replay.
  //   load_balance   the work of each process that has any is scaled to their mean
  //   serialisation  no process waits for another one, only for a CPU
  //   transfer       messages take no time
  //   sharing        each process has a CPU of its own
  //   unexplained    P of the third step
  std::optional<double> mended_P;

  bool is_low() const { return value < kGoodEfficiency; }
};

struct Efficiency {
  std::uint32_t processors = 0;  // one for each process that has events
  double P = 0;                  // P of the run; on a placement that was not run, P of the third step
  double T_s = 0, elapsed_s = 0;
  std::vector<EfficiencyStep> steps;  // in the order of EfficiencyFactor; `unexplained` only if there is a run

  double parallel_efficiency() const { return processors == 0 ? 0 : P / processors; }
};

// What the third step found.
struct ThirdStep {
  const Schedule& schedule;
  const CriticalPath& path;
};

// `parallelism` is that of the target, with a third step. `is_as_traced`: the target is the traced placement, so there is a run.
Efficiency find_efficiency(const History& history, const Target& target, const Parallelism& parallelism,
                           const ThirdStep& third, bool is_as_traced);

}  // namespace dpm

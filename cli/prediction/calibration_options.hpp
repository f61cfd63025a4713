// What is known about the machines of a live trace: --delays (a file that dpm calibrate wrote) and --traced-on.
#pragma once

#include <optional>
#include <string>

#include "analysis/history/target.hpp"
#include "analysis/prediction/tracing_cost.hpp"
#include "cli/options.hpp"
#include "model/result.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

struct TakenOut {
  TracingCost cost;
  History as_metered;                // before the cost was removed
  std::optional<History> as_it_ran;  // with the meter's own time in it, if the calibration knows that
};

class CalibrationOptions {
 public:
  void describe(Options& options);

  // Places the history's processes as they were traced, and sets the delays of its machines. Removes the cost of metering
  // and of the traced placement from `history`, if the calibration knows it, and returns it.
  Result<std::optional<TakenOut>> apply(History& history, Terminal& terminal);

  // Gives `target` the delays of the file and the requested time slice.
  void set(Target& target) const;

 private:
  std::string delays_file_, traced_on_;
  double time_slice_s_ = 0;
  double unmetered_cpu_s_ = 0;  // 0: not given
  std::optional<DelayModel> delays_;
};

}  // namespace dpm::cli

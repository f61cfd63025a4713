// What is known of the machines a live trace is from: --delays (dpm calibrate wrote it) and --traced-on.
#pragma once

#include <optional>
#include <string>

#include "analysis/history/target.hpp"
#include "analysis/prediction/tracing_cost.hpp"
#include "cli/terminal.hpp"
#include "model/result.hpp"

namespace CLI {
class App;
}

namespace dpm::cli {

struct TakenOut {
  TracingCost cost;
  History as_metered;                // before it was taken out
  std::optional<History> as_it_ran;  // with the meter's own time in it, if the calibration knows that
};

class CalibrationOptions {
 public:
  void describe(CLI::App& app);

  // Places the history's processes as they were traced, and gives it the delays of its machines. Returns what metering
  // and the traced placement had cost, if the calibration knows such costs; then they are no longer in `history`.
  Result<std::optional<TakenOut>> apply(History& history, Terminal& terminal);

  // Messages take the time of the file, wherever the trace is from, and machines are shared as was asked for.
  void set(Target& target) const;

 private:
  std::string delays_file_, traced_on_;
  double turn_s_ = 0;
  double unmetered_cpu_s_ = 0;  // 0: not given
  std::optional<DelayModel> delays_;
};

}  // namespace dpm::cli

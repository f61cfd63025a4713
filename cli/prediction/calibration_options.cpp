#include "cli/prediction/calibration_options.hpp"

#include "answers/prediction/placement_file.hpp"
#include "scenarios/scenario_file.hpp"
#include "text/first_names.hpp"
#include "text/printable.hpp"

namespace dpm::cli {

void CalibrationOptions::describe(Options& options) {
  options.value("--delays", delays_file_,
                "A delay model file, as written by dpm calibrate: how long messages take, and the cost of metering and "
                "waking, which is removed from the trace");
  options.value("--traced-on", traced_on_,
                "A placement file that says on which CPUs the processes ran, which a trace does not know");
  options
      .value("--unmetered-cpu", unmetered_cpu_s_,
             "With --delays: CPU seconds that the whole program uses unmetered (user and sys of 'time'), from which "
             "the cost of a metered call is computed for this program")
      .between(1e-6, 1e9);
  options
      .value("--time-slice,--turn", time_slice_s_,
             "Processes on a machine of one core run for time slices of this many seconds, as with SCHED_RR, "
             "instead of sharing the core equally")
      .between(1e-6, 1e3);
}

Result<std::optional<TakenOut>> CalibrationOptions::apply(History& history, Terminal& terminal) {
  if (!traced_on_.empty()) {
    const auto left_out = place_as_traced(history, traced_on_);
    if (!left_out) return left_out.error();
    if (!left_out->empty())
      terminal.err << "note: " << traced_on_ << " leaves out " << printable(first_names(*left_out))
                   << ": placed as the trace says\n";
  }
  if (delays_file_.empty() && unmetered_cpu_s_ > 0)
    return Error{"--unmetered-cpu changes the metering costs of --delays: give both"};
  if (delays_file_.empty()) return std::optional<TakenOut>();
  auto calibration = load_calibration(delays_file_);
  if (!calibration) return Error{"delays: " + calibration.error().what};
  delays_ = calibration->delays;
  // A source that knows its delays has meters without hidden cost.
  if (history.info.properties.delays_known) return std::optional<TakenOut>();
  history.info.delays = calibration->delays;
  std::optional<TakenOut> taken;
  taken.emplace().as_metered = history;
  if (unmetered_cpu_s_ > 0) calibration = fitted_to(history, *calibration, unmetered_cpu_s_);
  taken->cost = take_out_tracing_cost(history, *calibration);
  History& as_it_ran = taken->as_it_ran.emplace(history);
  const std::uint64_t meters_ns = put_in_meters_time(as_it_ran, *calibration);
  if (meters_ns == 0) taken->as_it_ran.reset();
  if (taken->cost.metering_ns + taken->cost.wake_up_ns + meters_ns == 0) taken.reset();
  return taken;
}

void CalibrationOptions::set(Target& target) const {
  target.time_slice = Duration::from_seconds(time_slice_s_);
  if (delays_) target.delays = *delays_;
}

}  // namespace dpm::cli

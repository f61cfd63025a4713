#include "cli/prediction/calibration_options.hpp"

#include <CLI/CLI.hpp>

#include "cli/prediction/placement_file.hpp"
#include "cli/printable.hpp"
#include "scenarios/scenario_file.hpp"

namespace dpm::cli {

void CalibrationOptions::describe(CLI::App& app) {
  app.add_option("--delays", delays_file_,
                 "A delay model file, such as dpm calibrate writes: how long messages take, and what metering and "
                 "waking cost, which is taken out");
  app.add_option("--traced-on", traced_on_,
                 "A placement file that says where processes were traced: on which CPUs, which a trace does not know");
  app.add_option("--unmetered-cpu", unmetered_cpu_s_,
                 "With --delays: CPU seconds that the whole program uses when it is not metered (user and sys of "
                 "'time'), so that metering's cost a call is that of this program")
      ->check(CLI::Range(1e-6, 1e9));
  app.add_option("--turn", turn_s_,
                 "Processes on a machine of one core take turns of so many seconds, as SCHED_RR has it, instead of "
                 "sharing it equally")
      ->check(CLI::Range(1e-6, 1e3));
}

Result<std::optional<TakenOut>> CalibrationOptions::apply(History& history, Terminal& terminal) {
  if (!traced_on_.empty()) {
    const auto left_out = place_as_traced(history, traced_on_);
    if (!left_out) return left_out.error();
    for (const auto& process : *left_out)
      terminal.err << "note: " << traced_on_ << " leaves out '" << printable(process)
                   << "': it is taken to have been where the trace says\n";
  }
  if (delays_file_.empty() && unmetered_cpu_s_ > 0)
    return Error{"--unmetered-cpu changes what --delays knows of metering: give both"};
  if (delays_file_.empty()) return std::optional<TakenOut>();
  auto calibration = load_calibration(delays_file_);
  if (!calibration) return Error{"delays: " + calibration.error().what};
  delays_ = calibration->delays;
  const bool live = history.info.delays.name == DelayModel().name;
  if (!live) return std::optional<TakenOut>();  // a simulation knows its own delays, and its meters cost nothing unseen
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
  target.time_slice = Duration::from_seconds(turn_s_);
  if (delays_) target.delays = *delays_;
}

}  // namespace dpm::cli

#include "cli/schedule/record_schedule.hpp"

#include <nlohmann/json.hpp>

#include "cli/schedule/schedule_results.hpp"
#include "text/printable.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

Result<void> write_schedule(const std::string& folder, const SchedulePlan& plan, const ScheduleOutcome& outcome) {
  using Json = nlohmann::ordered_json;
  const Json document = schedule_json(plan, outcome);
  return replace_file(folder + "/schedule.json", document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace

Result<void> RecordSchedule::check() {
  if (!options_.is_given()) return {};
  auto plan = options_.plan();
  if (!plan) return plan.error();
  plan_ = *std::move(plan);
  return {};
}

Result<std::unique_ptr<LiveSchedule>> RecordSchedule::prepare(const OutputFolder& folder, const ScheduledRun& run) {
  if (!plan_) return std::unique_ptr<LiveSchedule>();
  SchedulePlan plan = *plan_;
  plan.options.calls_wait = run.calls_wait;
  auto schedule = LiveSchedule::prepare(std::move(plan));
  if (!schedule) return schedule;
  if (run.front_pid) (*schedule)->end_with(*run.front_pid);
  if (!folder.is_kept()) return schedule;
  // What cannot be written now cannot be written at the end either, which is reported.
  (*schedule)->on_news([path = folder.absolute_path(), plan = *plan_](const ScheduleOutcome& so_far) {
    (void)write_schedule(path, plan, so_far);
  });
  return schedule;
}

Result<void> RecordSchedule::conclude(const LiveSchedule* schedule, const OutputFolder& folder,
                                      Terminal& terminal) const {
  if (schedule == nullptr) return {};
  terminal.err << schedule_text(schedule->plan(), schedule->outcome(), terminal.width);
  for (const auto& warning : schedule->outcome().warnings) terminal.err << "warning: " << printable(warning) << '\n';
  if (!folder.is_kept()) return {};
  return write_schedule(folder.path(), schedule->plan(), schedule->outcome());
}

}  // namespace dpm::cli

#include "cli/schedule/record_schedule.hpp"

#include <nlohmann/json.hpp>

#include "cli/printable.hpp"
#include "cli/schedule/schedule_results.hpp"
#include "trace/files.hpp"

namespace dpm::cli {

Result<void> RecordSchedule::check() {
  if (!options_.is_given()) return {};
  auto plan = options_.plan();
  if (!plan) return plan.error();
  plan_ = *std::move(plan);
  return {};
}

Result<std::unique_ptr<LiveSchedule>> RecordSchedule::prepare() {
  if (!plan_) return std::unique_ptr<LiveSchedule>();
  return LiveSchedule::prepare(*plan_);
}

Result<void> RecordSchedule::conclude(const LiveSchedule* schedule, const OutputFolder& folder,
                                      Terminal& terminal) const {
  if (schedule == nullptr) return {};
  terminal.err << schedule_text(schedule->plan(), schedule->outcome(), terminal.width);
  for (const auto& warning : schedule->outcome().warnings) terminal.err << "warning: " << printable(warning) << '\n';
  if (!folder.is_kept()) return {};
  using Json = nlohmann::ordered_json;
  const Json document = schedule_json(schedule->plan(), schedule->outcome());
  return replace_file(folder.path() + "/schedule.json",
                      document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

}  // namespace dpm::cli

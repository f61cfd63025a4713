// What a scheduler has decided, as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/schedule/live_schedule.hpp"

namespace dpm::cli {

std::string schedule_text(const SchedulePlan& plan, const ScheduleOutcome& outcome, int width);
nlohmann::ordered_json schedule_json(const SchedulePlan& plan, const ScheduleOutcome& outcome);

}  // namespace dpm::cli

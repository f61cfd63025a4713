// --schedule of the commands that record: checked before the program starts, prepared beside it, and concluded with the recording.
#pragma once

#include <memory>
#include <optional>

#include "cli/output_folder.hpp"
#include "cli/schedule/live_schedule.hpp"
#include "cli/schedule/schedule_options.hpp"
#include "cli/terminal.hpp"

namespace dpm::cli {

class RecordSchedule {
 public:
  void describe_optional(CLI::App& app) { options_.describe_optional(app); }

  Result<void> check();
  // Null: not asked for.
  Result<std::unique_ptr<LiveSchedule>> prepare();
  // Prints the journal, and writes schedule.json into a folder that is kept.
  Result<void> conclude(const LiveSchedule* schedule, const OutputFolder& folder, Terminal& terminal) const;

 private:
  ScheduleOptions options_;
  std::optional<SchedulePlan> plan_;
};

}  // namespace dpm::cli

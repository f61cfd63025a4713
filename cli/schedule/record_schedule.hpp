// --schedule of the commands that record: checked before the program starts, prepared beside it, and concluded with the recording.
#pragma once

#include <memory>
#include <optional>

#include "cli/output_folder.hpp"
#include "cli/schedule/live_schedule.hpp"
#include "cli/schedule/schedule_options.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

struct ScheduledRun {
  bool calls_wait = false;  // MeteringMethod::notifies()
  std::optional<std::uint32_t>
      front_pid;  // the process that the user started, if it is another one: scheduling ends with it
};

class RecordSchedule {
 public:
  void describe_optional(Options& options) { options_.describe_optional(options); }
  bool is_asked_for() const { return options_.is_given(); }

  Result<void> check();
  // Null: not asked for. In a folder that is kept, schedule.json has the journal as it stands: the live page shows it.
  Result<std::unique_ptr<LiveSchedule>> prepare(const OutputFolder& folder, const ScheduledRun& run);
  // Prints the journal, and writes schedule.json for the last time.
  Result<void> conclude(const LiveSchedule* schedule, const OutputFolder& folder, Terminal& terminal) const;

 private:
  ScheduleOptions options_;
  std::optional<SchedulePlan> plan_;
};

}  // namespace dpm::cli

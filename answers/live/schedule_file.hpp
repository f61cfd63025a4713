// The journal of a scheduler that moves the processes of the traced program (dpm meter --schedule), as it stands: schedule.json beside
// the trace, which is written again with each decision.
#pragma once

#include <string>

#include "model/result.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

class ScheduleFile {
 public:
  explicit ScheduleFile(const std::string& output) : path_(output + "/schedule.json") {}

  // Looks for news. True: there are some.
  bool refresh();

  // {"policy", "places", "dry_run", "decisions", "journal": the last of them}; null: no scheduler, or its file is damaged.
  const view::Json& journal() const { return journal_; }

 private:
  std::string path_;
  std::string seen_;  // size and time of the file that was read
  view::Json journal_;
};

}  // namespace dpm::cli

// What a metering leaves: results.json and report.html beside the trace, and a summary on standard error. Made when the
// program has ended; and before that, so far, when the command itself has ended and other processes keep metering going.
#pragma once

#include <string>
#include <vector>

#include "cli/meter/meter_summary.hpp"
#include "cli/meter/output_folder.hpp"
#include "cli/terminal.hpp"

namespace dpm::cli {

class Conclusion {
 public:
  // What of it a user sees once the command has ended and others go on.
  struct Afterwards {
    bool control_c_ends_it = false;  // a caller still waits for us
    bool silent = false;             // the terminal belongs to the shell again: files only
  };

  Conclusion(const OutputFolder& folder, MeteredFacts program, Terminal& terminal, Afterwards afterwards)
      : folder_(folder), program_(std::move(program)), terminal_(terminal), afterwards_(afterwards) {}

  void so_far(const Recorded& recorded, const std::vector<ProcessLeft>& left);
  // Replaces what so_far() has written. A folder that is not kept is removed.
  Result<void> at_end(const Recorded& recorded);

 private:
  Result<void> write(const Recorded& recorded, const Findings& found) const;
  void say(const Recorded& recorded, const Findings& found);

  const OutputFolder& folder_;
  MeteredFacts program_;
  Terminal& terminal_;
  Afterwards afterwards_;
  bool was_said_ = false;
};

}  // namespace dpm::cli

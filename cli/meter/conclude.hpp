// The results of a metering: results.json and report.html beside the trace, and a summary on standard error. They are made
// when the program has ended, and before that, for the events so far, when the command itself has ended and other
// processes of the program go on.
#pragma once

#include <string>
#include <vector>

#include "cli/meter/meter_summary.hpp"
#include "cli/output_folder.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

class Conclusion {
 public:
  // How the rest of the metering reports once the command has ended and other processes go on.
  struct Afterwards {
    bool control_c_ends_it = false;  // dpm is still the caller's child
    bool silent = false;             // the terminal belongs to the shell again: write only files
  };

  Conclusion(const OutputFolder& folder, MeteredFacts program, Terminal& terminal, Afterwards afterwards)
      : folder_(folder), program_(std::move(program)), terminal_(terminal), afterwards_(afterwards) {}

  void so_far(const Recorded& recorded, const std::vector<ProcessLeft>& left);
  // Replaces the files that so_far() wrote. Removes a folder that is not kept.
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

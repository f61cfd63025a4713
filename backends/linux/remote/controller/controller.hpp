// The controller (metering report 3.5 and 4): performs the user's commands, one at a time, and shows what machines
// report.
//
// It keeps the records of filters, jobs and processes, and asks their machines for whatever is to happen. It reads no
// terminal and starts no thread: lines come in by perform(), output goes to a Screen, machines are behind
// Machines. What machines report is shown between commands, never inside what a command says.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "backends/linux/remote/controller/adopt_command.hpp"
#include "backends/linux/remote/controller/command_forms.hpp"
#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/file_copies.hpp"
#include "backends/linux/remote/controller/filter_commands.hpp"
#include "backends/linux/remote/controller/job_commands.hpp"
#include "backends/linux/remote/controller/known_machines.hpp"
#include "backends/linux/remote/controller/leaving.hpp"
#include "backends/linux/remote/controller/machines.hpp"
#include "backends/linux/remote/controller/process_commands.hpp"
#include "backends/linux/remote/controller/removal_commands.hpp"
#include "backends/linux/remote/controller/reports.hpp"
#include "backends/linux/remote/controller/screen.hpp"
#include "backends/linux/remote/controller/scripts.hpp"
#include "backends/linux/remote/controller/wait_command.hpp"

namespace dpm::control {

class Controller {
 public:
  Controller(Machines& machines, Screen& screen, KnownMachines known_machines);

  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // One line. A message about its failure begins with `where` ("script:3"), which is empty for a line that the user typed.
  Outcome perform(std::string_view line, const std::string& where = "");
  // Control-D on a terminal asks to leave as `die` does; the end of a script that was given leaves in any case, and
  // fails if processes are active.
  Outcome end_of_typing();
  Outcome end_of_script(const std::string& where);

  // Shows what machines have reported. Output that has no newline yet waits for flush_output().
  void show_reports() { reports_.show(); }
  void flush_output() { reports_.flush(); }
  bool has_output_waiting() const { return reports_.has_output_waiting(); }

  // Commands so far: of scripts, each of their lines.
  int failures() const { return failures_; }
  const Computation& computation() const { return computation_; }

 private:
  Outcome dispatch(const CommandForm& form, const Words& words, const std::optional<std::string>& input);
  Outcome help(const Words& words);
  Outcome sink(const Words& words);

  Console console_;
  KnownMachines known_machines_;
  FileCopies copies_;
  Computation computation_;
  int failures_ = 0;

  Reports reports_;
  FilterCommands filters_;
  JobCommands jobs_;
  ProcessCommands processes_;
  RemovalCommands removal_;
  AdoptCommand adopt_;
  WaitCommand wait_;
  Scripts scripts_;
  Leaving leaving_;
};

}  // namespace dpm::control

// The controller (metering report 3.5 and 4): performs the user's commands, one at a time, and shows what machines
// report.
//
// It keeps the records of filters, jobs and processes, and sends requests to their machines. It does no I/O itself: lines
// come through perform(), output goes to a Screen, and Machines stands for the machines. Reports are shown between
// commands, never within the output of a command.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "control/controller/addprocess_command.hpp"
#include "control/controller/adopt_command.hpp"
#include "control/controller/command_forms.hpp"
#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/event_commands.hpp"
#include "control/controller/file_copies.hpp"
#include "control/controller/filter_commands.hpp"
#include "control/controller/filter_removal.hpp"
#include "control/controller/help_texts.hpp"
#include "control/controller/job_commands.hpp"
#include "control/controller/kept_files_commands.hpp"
#include "control/controller/known_machines.hpp"
#include "control/controller/leaving.hpp"
#include "control/controller/machine_sets.hpp"
#include "control/controller/machines.hpp"
#include "control/controller/process_commands.hpp"
#include "control/controller/removal_commands.hpp"
#include "control/controller/reports.hpp"
#include "control/controller/screen.hpp"
#include "control/controller/scripts.hpp"
#include "control/controller/wait_command.hpp"
#include "control/controller/watch_command.hpp"

namespace dpm::control {

class Controller {
 public:
  // `hosts_file` has the machines of "@all" (machine_sets.hpp); it may be empty.
  Controller(Machines& machines, Screen& screen, KnownMachines known_machines, const std::string& hosts_file = "",
             WatchSettings watching = {}, EventSettings events = {}, LoadPlacement load_placement = {},
             HelpTexts help_texts = {});

  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // One line. A message about its failure begins with `where` ("script:3"); typed lines have none.
  Outcome perform(std::string_view line, const std::string& where = "");
  // Control-D on a terminal acts as `die`. The end of a script always leaves, and fails if processes are active.
  Outcome end_of_typing();
  Outcome end_of_script(const std::string& where);

  // Shows reports of machines, or a part of them. Output without a newline waits for flush_late_output().
  void show_reports() { reports_.show(); }
  void flush_late_output() { reports_.flush_late(); }
  // How long to wait for the user's next command, before there is something to show.
  std::chrono::milliseconds patience() const { return reports_.patience(); }

  // The number of commands that failed; each line of a script counts.
  int failures() const { return failures_; }
  const Computation& computation() const { return computation_; }

 private:
  Outcome perform_words(std::string_view line);
  Outcome perform_form(const CommandForm& form, const Words& words, const std::optional<std::string>& input);
  Outcome dispatch(const CommandForm& form, const Words& words, const std::optional<std::string>& input);
  Outcome help(const Words& words);
  Outcome sink(const Words& words);

  Console console_;
  HelpTexts help_texts_;
  KnownMachines known_machines_;
  FileCopies copies_;
  Computation computation_;
  MachineSets sets_;
  int failures_ = 0;

  Reports reports_;
  WatchCommand watch_;
  FilterCommands filters_;
  FilterRemoval filter_removal_;
  KeptFilesCommands kept_files_;
  JobCommands jobs_;
  EventCommands events_;
  AddprocessCommand addprocess_;
  ProcessCommands processes_;
  RemovalCommands removal_;
  AdoptCommand adopt_;
  WaitCommand wait_;
  Scripts scripts_;
  Leaving leaving_;
};

}  // namespace dpm::control

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

#include "backends/linux/remote/controller/addprocess_command.hpp"
#include "backends/linux/remote/controller/adopt_command.hpp"
#include "backends/linux/remote/controller/command_forms.hpp"
#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/console.hpp"
#include "backends/linux/remote/controller/event_commands.hpp"
#include "backends/linux/remote/controller/file_copies.hpp"
#include "backends/linux/remote/controller/filter_commands.hpp"
#include "backends/linux/remote/controller/filter_removal.hpp"
#include "backends/linux/remote/controller/job_commands.hpp"
#include "backends/linux/remote/controller/kept_files_commands.hpp"
#include "backends/linux/remote/controller/known_machines.hpp"
#include "backends/linux/remote/controller/leaving.hpp"
#include "backends/linux/remote/controller/machine_sets.hpp"
#include "backends/linux/remote/controller/machines.hpp"
#include "backends/linux/remote/controller/process_commands.hpp"
#include "backends/linux/remote/controller/removal_commands.hpp"
#include "backends/linux/remote/controller/reports.hpp"
#include "backends/linux/remote/controller/screen.hpp"
#include "backends/linux/remote/controller/scripts.hpp"
#include "backends/linux/remote/controller/wait_command.hpp"
#include "backends/linux/remote/controller/watch_command.hpp"

namespace dpm::control {

class Controller {
 public:
  // `hosts_file` has the machines of "@all" (machine_sets.hpp); it may be empty.
  Controller(Machines& machines, Screen& screen, KnownMachines known_machines, const std::string& hosts_file = "",
             WatchSettings watching = {}, EventSettings events = {}, LoadPlacement load_placement = {});

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

// The controller (metering report 3.5 and 4): performs the user's commands, one at a time, and shows what machines
// report.
//
// It keeps the records of filters, jobs and processes, and asks their machines for whatever is to happen. It reads no
// terminal and starts no thread: lines come in by perform(), what is said goes out to a Screen, machines are behind
// Machines. What machines report is shown between commands, never inside what a command says.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "backends/linux/remote/controller/command_forms.hpp"
#include "backends/linux/remote/controller/computation.hpp"
#include "backends/linux/remote/controller/file_copies.hpp"
#include "backends/linux/remote/controller/known_machines.hpp"
#include "backends/linux/remote/controller/machines.hpp"
#include "backends/linux/remote/controller/screen.hpp"
#include "backends/linux/remote/controller/user_files.hpp"

namespace dpm::control {

inline constexpr std::size_t kSourcesDeepMax = 16;

class Controller {
 public:
  Controller(Machines& machines, Screen& screen, KnownMachines known_machines);

  enum class Outcome { done, failed, left };
  // One line. `where` it stands ("script:3") begins what is said of its failure; empty: the user typed it.
  Outcome perform(std::string_view line, const std::string& where = "");
  // Control-D on a terminal asks to leave as `die` does; the end of a script that was given leaves in any case, and
  // fails if processes are active.
  Outcome end_of_typing();
  Outcome end_of_script(const std::string& where);

  // Shows what machines have reported. Output that has no newline yet waits for flush_output().
  void show_reports();
  void flush_output();
  bool has_output_waiting() const;

  // Commands so far: of scripts, each of their lines.
  int failures() const { return failures_; }
  const Computation& computation() const { return computation_; }

 private:
  // Output of commands goes to the terminal, or to a file while `sink` says so.
  class Output : public Screen {
   public:
    explicit Output(Screen& terminal) : terminal_(terminal) {}
    void show(std::string_view lines) override;
    void sink_to(std::optional<SinkFile> file) { file_ = std::move(file); }

   private:
    Screen& terminal_;
    std::optional<SinkFile> file_;
  };

  using Words = std::vector<std::string>;  // of the parameters
  Outcome dispatch(const CommandForm& form, const Words& words, const std::optional<std::string>& input);
  Outcome fail(const std::string& why);
  void say(const std::string& lines) { output_.show(lines); }

  // script_commands.cpp
  Outcome help(const Words& words);
  Outcome source(const std::string& file);
  Outcome sink(const Words& words);
  Outcome wait(const Words& words);
  Outcome die();
  Outcome leave();
  std::vector<std::string> active_processes() const;

  // filter_commands.cpp
  Outcome filter(const Words& words);
  Outcome list_filters();
  Result<CreateFilter> filter_request(const Words& words, const std::string& machine);
  Outcome get_log(const std::string& name, const std::string& destination);
  Result<void> fetch(const FilterRecord& filter, const std::string& destination);
  Result<std::vector<std::string>> log_files(const FilterRecord& filter);
  Result<void> fetch_files(const FilterRecord& filter, const std::vector<std::string>& files, FetchedLog& log);
  Result<void> fetch_file(const FilterRecord& filter, const std::string& file, FetchedLog& log);

  // job_commands.cpp
  Outcome new_job(const Words& words);
  Outcome set_flags(const Words& words);
  Outcome start_job(const std::string& name);
  Outcome stop_job(const std::string& name);
  Outcome jobs(const Words& words);
  Outcome list_processes(const std::string& name);

  // process_commands.cpp
  Outcome add_process(const Words& words, const std::optional<std::string>& input);
  Outcome acquire(const Words& words);
  Outcome send_input(const Words& words, bool is_end);
  Outcome remove_job(const std::string& name);
  Outcome remove_process(const std::string& job_name, const std::string& name);
  std::string why_not_removed(const std::vector<ProcessRecord*>& processes, const std::string& job_name,
                              const std::string& command);
  std::vector<bool> remove(const std::vector<ProcessRecord*>& all);
  std::vector<bool> remove_reachable(const std::vector<ProcessRecord*>& processes);
  bool is_given_up(const std::string& machine, std::uint32_t pid) const { return given_up_.contains({machine, pid}); }

  // adopt_command.cpp
  struct Left {
    std::string machine;
    Charge charge;
  };
  Outcome adopt(const Words& words);
  std::vector<Left> left_on(const std::vector<std::string>& machines, Outcome& outcome);
  void adopt_filter(const Left& left);
  Job& job_to_adopt_into(const Charge& charge);
  void adopt_process(const Left& left);

  // reports.cpp
  void take(const std::string& machine, const StateChanged& report);
  void take(const std::string& machine, const control::Output& report);
  void take(const std::string& machine, const FilterEnded& report);
  void take(const std::string& machine, const MachineLost& report);
  void take(const std::string& machine, const MachineFound& report);
  void show_end(const Job& job, ProcessRecord& process, const std::string& reason);
  void show_output(const Job& job, const ProcessRecord& process, const std::vector<std::string>& lines);

  Machines& machines_;
  Output output_;
  KnownMachines known_machines_;
  FileCopies copies_;
  Computation computation_;
  std::vector<std::string> where_;  // we are, outermost first; typed commands add nothing
  std::size_t sources_ = 0;         // how deep
  bool is_abandoned_ = false;       // scripts end, whatever follows
  int failures_ = 0;
  bool has_warned_ = false;  // of active processes, by the command before this one
  std::string warned_of_;    // the command before this one, if it was to remove what is unreachable
  std::set<std::pair<std::string, std::uint32_t>> given_up_;  // such processes, by machine and number
};

}  // namespace dpm::control

// Runs a scenario natively.
//
//   start()    listening sockets for all, then an operating system process for each; all wait at the board's gate
//   watch()    opens the gate when all are there; prints what they say; serves as their process manager; ends the run for
//              one of the reasons there are
//   outcome()  what the board says when no process writes on it any more
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "os/unique_fd.hpp"
#include "scenarios/native/board.hpp"
#include "scenarios/native/children.hpp"
#include "scenarios/native/journal.hpp"
#include "scenarios/native/native_run.hpp"
#include "scenarios/native/process_manager.hpp"
#include "scenarios/native/signals_held.hpp"

namespace dpm::native {

class Launcher {
 public:
  Launcher(const Scenario& scenario, const NativeOptions& options)
      : scenario_(scenario), options_(options), children_(scenario.processes.size()) {}
  Launcher(const Launcher&) = delete;
  Launcher& operator=(const Launcher&) = delete;

  Result<void> start();
  void watch();
  NativeOutcome outcome();

 private:
  Result<void> listen_for_all();
  Result<void> start_process(std::uint32_t process);
  [[noreturn]] void run_process(std::uint32_t process, pid_t launcher);

  bool is_over();
  bool wait_for_something();
  void serve_as_process_manager();
  void take_ended(const Children::Ended& ended);
  void read_journal();
  void open_gate_when_all_are_there();
  bool only_services_are_left() const;
  bool has_limit() const;
  bool is_at_a_limit();
  bool stands_still();
  std::string with_its_machine_now(std::uint32_t process, std::string failure) const;
  std::string final_state(std::uint32_t process) const;
  bool waits_at_work(std::uint32_t process) const;
  std::string what_it_does(std::uint32_t process) const;
  void end(const std::string& ended_by);

  const Scenario& scenario_;
  const NativeOptions& options_;
  SignalsHeld signals_;
  std::map<std::string, int> core_of_machine_;
  std::optional<Board> board_;
  std::optional<Journal> journal_;
  RunIdentity run_;
  pid_t launcher_ = 0;
  std::vector<UniqueFd> listeners_;  // until their processes have them
  std::vector<std::uint16_t> ports_;
  Children children_;
  std::optional<ProcessManager> manager_;
  std::optional<ManagerSocket> manager_socket_;
  std::vector<pollfd> polled_;
  std::vector<std::string> final_states_;  // by process
  std::map<std::uint32_t, std::string> failures_;
  std::int64_t started_ns_ = 0;
  std::uint64_t changes_seen_ = 0;
  std::int64_t changed_ns_ = 0;
  NativeOutcome outcome_;
};

}  // namespace dpm::native

// The machines, processes and channels of a simulation. Processes come from the scenario, are created while it runs, or
// belong to the system: the process manager, the switchboard, a kernel for each machine, and the filters.
#pragma once

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/sim/process.hpp"

namespace dpm::sim {

class Simulation;

// Processes of the scenario and created ones have ranks from 1 on, in order; 0 is for faults, which come first.
inline constexpr std::uint32_t kFirstSystemRank = 0x80000000u;

class Population {
 public:
  explicit Population(Simulation& simulation);
  ~Population();

  // Creates what the scenario describes, and the system. No process runs yet.
  void populate();

  // Of the scenario and created ones. Null if there is none.
  Process* find_process(const std::string& name);
  Machine* find_machine(const std::string& name);
  std::vector<std::string> process_names() const;
  std::deque<Machine>& machines() { return machines_; }
  std::deque<Process>& processes() { return processes_; }
  // Processes of the scenario in its order, then created ones.
  const std::vector<Process*>& application() const { return application_; }
  Process& process_manager() { return *process_manager_; }
  Process& switchboard() { return *switchboard_; }
  const std::vector<Process*>& filters() const { return filters_; }

  // A process that does not run yet. Its standard links are in place when give_standard_links() has been called.
  Process& create_process(const std::string& name, const std::string& program_name, Program program, Machine& machine);
  void give_standard_links(Process& process);
  // A process that the scenario describes, and that is there from now on.
  void create_awaited(Process& process);
  // A process as it was before it ran, but for its links and its accounts.
  void renew(Process& process);

  // Processes that must end before the run does: those that are not services.
  std::uint64_t not_ended() const { return not_ended_; }
  void has_ended(const Process& process) {
    if (!process.service) --not_ended_;
  }

  Channel& create_channel(Process& owner);
  Channel& channel_to(Process& system_process);

 private:
  void create_machines();
  void create_system_processes();
  void create_scenario_processes();
  void wire();

  Simulation& simulation_;
  std::deque<Machine> machines_;
  std::unordered_map<std::string, Machine*> machine_by_name_;
  std::deque<Process> processes_;
  std::vector<Process*> application_;
  std::unordered_map<std::string, Process*> process_by_name_;  // of the application
  std::deque<Channel> channels_;
  Process* process_manager_ = nullptr;
  Process* switchboard_ = nullptr;
  std::vector<Process*> filters_;
  std::uint32_t next_system_rank_ = kFirstSystemRank;
  std::uint64_t not_ended_ = 0;
  // Of renewed processes: their stacks still have frames in these.
  std::vector<std::unique_ptr<Actor>> retired_actors_;
  std::vector<std::unique_ptr<ProcessCalls>> retired_calls_;
};

}  // namespace dpm::sim

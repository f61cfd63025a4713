// Where a history is to be replayed: machines, which process is on which, and how long messages take.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/other_load.hpp"
#include "analysis/history/server_work.hpp"
#include "model/placement.hpp"

namespace dpm {

// Messages between two processes, either way, take `factor` times as long.
struct ProcessLink {
  std::uint32_t a = 0, b = 0;
  double delay_factor = 1;
};

// A server and its copies, which are processes without events of their own (replica_choice.hpp decides which gets
// what). A copy does with a request what the server did with it.
struct Replicas {
  std::uint32_t process = 0;
  std::vector<std::uint32_t> copies;
  ServerWork work;
};

struct Target {
  std::string placement;  // its name, for reports
  std::vector<MachineInfo> machines;
  std::vector<MachineId> machine_of;  // by process; an index into `machines`
  DelayModel delays;
  // Factors by which processes are faster than in the trace, on top of the speed of their machine. By process; empty:
  // 1.
  std::vector<double> process_speed = {};
  std::vector<ProcessLink> links = {};
  std::vector<Replicas> replicas = {};  // not in recorded order
  // On a machine of one core, the time slice that processes that do not wait run for, instead of sharing the core
  // equally; 0: equal shares. Replays use it; longest paths and lower bounds do not need it.
  Duration time_slice = {};
  std::vector<OtherLoad> other_load = {};  // by machine; empty: the machines have nothing else to do
};

// The machines and placement of the trace itself.
Target traced_target(const History& history);
// The same where messages cost nothing: CPU times there are those of work alone.
Target traced_without_messages(const History& history);

struct ResolvedTarget {
  Target target;
  std::vector<std::string> left_out;  // processes the placement does not name: they stay where they were traced
};

// What a placement gets wrong: a process or a machine that does not exist, or no process at all (`process` is then empty).
struct PlacementMistake {
  std::string process;
  std::string what;
};

std::vector<PlacementMistake> mistakes_in(const Placement& placement, const History& history,
                                          const std::vector<MachineInfo>& machines);

// The trace's machines and delays, with the processes (and their threads) where `placement` puts them. Refuses
// processes and machines that the trace does not have, and a placement that names no process.
Result<ResolvedTarget> resolve(const History& history, const Placement& placement);

// The same on other machines. Processes left out must find their traced machine among `machines` by name.
Result<ResolvedTarget> resolve(const History& history, const Placement& placement, std::vector<MachineInfo> machines,
                               DelayModel delays);

}  // namespace dpm

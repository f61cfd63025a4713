// Where a history is to be replayed: machines, which process is on which, and how long messages take.
#pragma once

#include <string>
#include <vector>

#include "analysis/history/history.hpp"
#include "analysis/history/server_work.hpp"
#include "model/placement.hpp"

namespace dpm {

// Messages between two processes, either way, take so many times as long.
struct ProcessLink {
  std::uint32_t a = 0, b = 0;
  double delay_factor = 1;
};

// A server and its copies, which are processes without events of their own (replica_turns.hpp says who gets what). A
// copy does with a request what the server did with it.
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
  // What processes themselves are like there: so many times as fast as in the trace, beside the speed of their machine.
  // By process; empty: as fast.
  std::vector<double> process_speed = {};
  std::vector<ProcessLink> links = {};
  std::vector<Replicas> replicas = {};  // not in recorded order
  // On a machine of one core, processes that do not wait take turns of this length instead of sharing it equally; 0:
  // equal shares. Replays know it; longest paths and lower bounds need not.
  Duration turn = {};
};

// The machines and placement of the trace itself.
Target traced_target(const History& history);

struct ResolvedTarget {
  Target target;
  std::vector<std::string> left_out;  // processes the placement does not name: they stay where they were traced
};

// The trace's machines and delays with the processes where `placement` puts them, and with them their threads. Refuses
// processes and machines the trace does not have, and a placement that names no process.
Result<ResolvedTarget> resolve(const History& history, const Placement& placement);

// The same on other machines. Processes left out must find their traced machine among `machines` by name.
Result<ResolvedTarget> resolve(const History& history, const Placement& placement, std::vector<MachineInfo> machines,
                               DelayModel delays);

}  // namespace dpm

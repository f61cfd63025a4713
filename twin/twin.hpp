// A simulated twin of what a trace shows: the same processes on the same machines, doing what they were measured to do,
// as a scenario that can be changed and run (docs/what-if.md).
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "twin/model.hpp"
#include "twin/recording.hpp"

namespace dpm::twin {

struct TwinOptions {
  std::optional<DelayModel> delays = std::nullopt;  // instead of the trace's
  // Processes of the trace: those that are groups of their own, and those that do what they did, message by message.
  std::set<std::uint32_t> alone = {}, as_recorded = {};
};

// Refuses a trace of which half the messages have only one end, and one of a program that stands still.
Result<Twin> make_twin(Recording recording, const TwinOptions& options = {});

// ---- what-ifs. More of a process is refused where one that is as recorded would have to know it.

// So many times the clients: processes whose start is all their life, outside the computation where there are such.
// Clients that have machines of their own get more of them.
Result<void> multiply_clients(Twin& twin, double factor);
// One more of a process, on a machine of its own like that of the last; who wrote to the one writes to them in turn.
Result<void> replicate(Twin& twin, const std::string& process);
// The link between two machines at `speed` times its speed; "all" for both: every link between different machines.
Result<void> change_link(Twin& twin, const std::string& machine_a, const std::string& machine_b, double speed);

}  // namespace dpm::twin

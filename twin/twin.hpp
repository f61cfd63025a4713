// A simulated twin of a traced program: the same processes on the same machines, doing what they were measured to do,
// as a scenario that can be changed and run (docs/what-if.md).
#pragma once

#include <cstdint>
#include <optional>
#include <set>

#include "analysis/prediction/what_if.hpp"
#include "twin/model.hpp"
#include "twin/recording.hpp"

namespace dpm::twin {

struct TwinOptions {
  std::optional<DelayModel> delays = std::nullopt;  // instead of the trace's
  // Processes of the trace: those that become groups of one, and those that repeat what they did, message by message.
  std::set<std::uint32_t> alone = {}, as_recorded = {};
};

// Refuses a trace in which more than half of the messages have only one end, and a trace of a deadlocked program.
Result<Twin> make_twin(Recording recording, const TwinOptions& options = {});

// ---- what-ifs. More of a process is refused if a process that is as recorded would have to know it.

// Multiplies the clients: processes whose start is all they do, outside the computation if there are such. Clients that
// have machines of their own get more of them.
Result<void> multiply_clients(Twin& twin, double factor);
// The other changes of a WhatIf. A copy of a process has a new machine like that of the last; processes that wrote to the one write to
// them in turn. Refuses what a twin cannot do: delays between processes, copies on a machine that is named.
Result<void> apply(Twin& twin, const WhatIf& what_if);

}  // namespace dpm::twin

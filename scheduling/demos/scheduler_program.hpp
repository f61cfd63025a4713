// A scheduler as a process of DEMOS/MP (1988 paper, figure 4).
//
//      processes ──► meters ──► filters ──► scheduler ──► process manager ──► kernels
//          ▲                                                                     │
//          └──────────────────────────── migration ──────────────────────────────┘
//
// It gets what the filters select as messages, and moves processes as any process may: by requests to the process manager.
// Its decisions and its journal are those of scheduling/decisions.
#pragma once

#include <string>
#include <vector>

#include "model/program.hpp"
#include "model/result.hpp"
#include "model/scenario.hpp"
#include "scheduling/decisions/journal.hpp"

namespace dpm {

// Adds the scheduler to a scenario: its process, the way from the filters to it, and meter messages that really travel. `policy`
// instead of the description's own. Refuses an unknown policy, machine or process.
Result<void> add_scheduler(Scenario& scenario, const SchedulerDescription& description, const std::string& policy);

// The journal, of what the processes of a run have printed. An entry that became known later is in the place of the first.
std::vector<JournalEntry> journal_of(const std::vector<PrintedLine>& printed);

// What other processes have printed.
std::vector<PrintedLine> without_journal(const std::vector<PrintedLine>& printed);

}  // namespace dpm

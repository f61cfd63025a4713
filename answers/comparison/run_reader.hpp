// Makes a trace a run that can be compared.
#pragma once

#include <string>
#include <vector>

#include "analysis/difference/run_profile.hpp"
#include "analysis/history/history.hpp"
#include "model/ledger.hpp"
#include "model/result.hpp"

namespace dpm::cli {

struct ComparedRun {
  RunProfile profile;
  std::string trace;  // as the user wrote it
  Ledger ledger;
  std::vector<std::string> missing;  // what the trace cannot tell
};

// Which processes are one.
enum class Grouping { none, alike };

struct RunOptions {
  Computation history;
  std::string of;  // the process whose elapsed time is divided; empty: the one that was seen longest
  Grouping grouping = Grouping::alike;
};

// Refuses a trace that cannot be read, or that has no process `of`.
Result<ComparedRun> read_run(const std::string& trace, const RunOptions& options);

}  // namespace dpm::cli

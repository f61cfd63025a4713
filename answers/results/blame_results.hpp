// Where the time of a process went, as a tree of lines and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/blame/blame_tree.hpp"
#include "answers/results/blame_groups.hpp"
#include "model/ledger.hpp"

namespace dpm::cli {

// Waits below `share_min` of the whole are one line, so that all lines of a level add up.
std::string blame_text(const BlameTree& tree, const TraceInfo& info, double share_min, int width);
// The tree with each process; causes and sentence with the groups.
nlohmann::ordered_json blame_json(const BlameTree& tree, const BlameGroups& groups, const TraceInfo& info,
                                  const Ledger& ledger);

}  // namespace dpm::cli

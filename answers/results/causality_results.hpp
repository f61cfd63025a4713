// Paths of causality as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/causality/causality.hpp"
#include "model/ledger.hpp"

namespace dpm::cli {

// The `most` most frequent paths, and the branching probabilities; without `all` those of the most frequent branches.
std::string causality_text(const Causality& causality, const TraceInfo& info, std::size_t most, int width,
                           bool all = false);
nlohmann::ordered_json causality_json(const Causality& causality, const TraceInfo& info, const Ledger& ledger);

}  // namespace dpm::cli

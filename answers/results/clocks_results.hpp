// How the clocks of machines relate, as a table and as JSON, with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/clocks/clocks.hpp"
#include "model/ledger.hpp"

namespace dpm::cli {

std::string clocks_text(const Clocks& clocks, const TraceInfo& info, int width, bool all = false);
nlohmann::ordered_json clocks_json(const Clocks& clocks, const TraceInfo& info, const Ledger& ledger);

}  // namespace dpm::cli

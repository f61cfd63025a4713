// How the clocks of machines relate, as a table and as JSON, with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>

#include "analysis/clocks/clocks.hpp"
#include "model/ledger.hpp"

namespace dpm::cli {

std::string clocks_text(const Clocks& clocks, const TraceInfo& info, int width, bool all = false);
nlohmann::ordered_json clocks_json(const Clocks& clocks, const TraceInfo& info, const Ledger& ledger);

// How exactly the clocks of machines that exchange messages are known, where a command shows their times on one axis: where
// they were stepped, the widest bounds, and each pair of which the offset is unknown.
void print_clock_notes(const Clocks& clocks, const TraceInfo& info, std::ostream& out);

}  // namespace dpm::cli

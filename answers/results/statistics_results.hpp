// Statistics as a table and as JSON, with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/statistics/statistics.hpp"
#include "model/ledger.hpp"

namespace dpm::cli {

// `info` is that of group_processes() if the rows are groups. Without `all` long tables are cut after their first rows.
std::string statistics_text(const Statistics& statistics, const TraceInfo& info, int width, bool all = false);
nlohmann::ordered_json statistics_json(const Statistics& statistics, const TraceInfo& info, const Ledger& ledger);

}  // namespace dpm::cli

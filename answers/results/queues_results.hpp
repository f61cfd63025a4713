// Queue lengths and waiting times as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "analysis/queues/queues.hpp"
#include "model/ledger.hpp"

namespace dpm::cli {

// Without `all` a long table is cut after the processes with the longest queues.
std::string queues_text(const Queues& queues, const TraceInfo& info, int width, bool all = false);
// What messages and processes waited for. Begins with an empty line; "" where the trace does not say it.
std::string waits_text(const Queues& queues, const TraceInfo& info, int width, bool all = false);
nlohmann::ordered_json queues_json(const Queues& queues, const TraceInfo& info, const Ledger& ledger);

}  // namespace dpm::cli

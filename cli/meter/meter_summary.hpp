// The summary that dpm meter and dpm acquire print at the end: what was seen, how parallel it was, and what the meter did
// to the program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "answers/findings/findings.hpp"
#include "cli/meter/metering.hpp"

namespace dpm::cli {

// Ends with a newline. print_ledger() prints the ledger, losses and warnings.
std::string meter_summary(const MeteredFacts& program, const Recorded& recorded, const Findings& found);

// The summary when the trace cannot be read, for example because its directory was removed.
std::string meter_summary_without_trace(const MeteredFacts& program, const Recorded& recorded);

// "metering goes on: sleep (123) still runs; 'dpm stop 121' ends it". Without a newline.
std::string goes_on_line(const std::vector<ProcessLeft>& left, std::uint32_t program, bool control_c_ends_it);

// The summary and the ledger as JSON: results.json.
nlohmann::ordered_json metering_json(const MeteredFacts& program, const Recorded& recorded, const Findings& found);

}  // namespace dpm::cli

// What dpm meter and dpm acquire say at the end, in a few lines: what was seen, how parallel it was, and what the meter
// itself did to the program.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/findings/findings.hpp"
#include "cli/meter/metering.hpp"

namespace dpm::cli {

// Ends with a newline. The ledger, losses and warnings are print_ledger()'s.
std::string meter_summary(const MeteredFacts& program, const Recorded& recorded, const Findings& found);

// What is known when the trace cannot be read, such as because its directory was removed.
std::string meter_summary_without_trace(const MeteredFacts& program, const Recorded& recorded);

// "metering goes on: sleep (123) still runs; 'dpm stop 121' ends it". Without a newline.
std::string goes_on_line(const std::vector<ProcessLeft>& left, std::uint32_t program, bool control_c_ends_it);

// The summary and the ledger for machines: results.json.
nlohmann::ordered_json metering_json(const MeteredFacts& program, const Recorded& recorded, const Findings& found);

}  // namespace dpm::cli

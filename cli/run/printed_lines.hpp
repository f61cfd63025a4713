// The lines that the processes of a run printed with print_line(), as text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "model/program.hpp"

namespace dpm::cli {

// "controller: the best tour costs 383: 0 4 ..." on a line each.
std::string printed_text(std::span<const PrintedLine> lines);

// [{"process": "controller", "line": "..."}]
nlohmann::ordered_json printed_json(std::span<const PrintedLine> lines);

}  // namespace dpm::cli

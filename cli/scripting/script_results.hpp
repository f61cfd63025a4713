// What an event script found, as lines, as a table and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/scripting/script_watch.hpp"

namespace dpm::cli {

// "12:03:04.123456", in the time zone of the user.
std::string time_text(std::uint64_t time_ns);

// "E: integer_assign on i in main of prog[1] (process 812, thread 812) = 5".
std::string occurrence_text(const Occurrence& occurrence, const ScriptWatch& watch);
nlohmann::json occurrence_json(const Occurrence& occurrence, const ScriptWatch& watch);

// How often each event happened: seen = reported + lost.
std::string script_summary_text(const ScriptWatch& watch, int width);
nlohmann::json script_summary_json(const ScriptWatch& watch);

}  // namespace dpm::cli

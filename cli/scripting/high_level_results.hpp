// High-level events as lines and as JSON, live and of a trace.
#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "filter/scripts/event_evaluator.hpp"

namespace dpm::cli {

using NameOfProcess = std::function<std::string(std::uint32_t process)>;

// "slow: accepted of server = 7000, replied of server = 5 after 1.250 ms". The caller writes the time before it.
std::string high_level_text(const HighLevelOccurrence& found, const EventScript& script, const NameOfProcess& name_of);
nlohmann::ordered_json high_level_json(const HighLevelOccurrence& found, const EventScript& script,
                                       const NameOfProcess& name_of);

// How often each happened, and what was given up.
std::string high_level_summary_text(const EventEvaluator& evaluator, const EventScript& script);

}  // namespace dpm::cli

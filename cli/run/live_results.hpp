// What a live run of a scenario was like, as a table for people and as JSON for machines: the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "live/live_run.hpp"
#include "model/scenario.hpp"

namespace dpm::cli {

// Without the lines that were printed: those are shown while it runs.
std::string live_text(const LiveOutcome& outcome, int width);
nlohmann::ordered_json live_json(const LiveOutcome& outcome, const Scenario& scenario);

// "the run ended by deadlock", and who waits for what.
std::string how_it_ended(const LiveOutcome& outcome);

}  // namespace dpm::cli

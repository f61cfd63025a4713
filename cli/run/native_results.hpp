// What a native run of a scenario was like, as a table for people and as JSON for machines: the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/scenario.hpp"
#include "native/native_run.hpp"

namespace dpm::cli {

// Without the lines that were printed: those are shown while it runs.
std::string native_text(const NativeOutcome& outcome, int width);
nlohmann::ordered_json native_json(const NativeOutcome& outcome, const Scenario& scenario);

// "the run ended by deadlock", and who waits for what.
std::string how_it_ended(const NativeOutcome& outcome);

}  // namespace dpm::cli

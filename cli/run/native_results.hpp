// The results of a native run of a scenario, as a table and as JSON, with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "model/scenario.hpp"
#include "scenarios/native/native_run.hpp"

namespace dpm::cli {

// Without the printed lines, which are shown while it runs.
std::string native_text(const NativeOutcome& outcome, int width, bool all = false);
nlohmann::ordered_json native_json(const NativeOutcome& outcome, const Scenario& scenario);

// "the run ended by deadlock", and what each process waits for.
std::string how_it_ended(const NativeOutcome& outcome, bool all);

}  // namespace dpm::cli

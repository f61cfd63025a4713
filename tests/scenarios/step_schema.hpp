// What scenario.schema.json and docs/scenarios.md say of steps. Both follow from the steps: schema_test.cpp compares, and
// DPM_BLESS=1 writes them.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace dpm {

// The definitions step_compute, step_send, ..., of what they hold, and of `step`, which is one of them.
nlohmann::ordered_json step_definitions();

// The rows of the table of steps, in Markdown.
std::string step_rows();

}  // namespace dpm

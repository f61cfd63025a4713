// One look at a program, as plain text and as JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "cli/top/rates.hpp"

namespace dpm::cli {

// The busiest processes first; without `all` a long table is cut.
std::string top_text(const TopNumbers& numbers, int width, bool all);
nlohmann::ordered_json top_json(const TopNumbers& numbers);

}  // namespace dpm::cli

// At which descriptors threads waited, and the processes that had the other ends, as a table and as JSON with the same numbers.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "sampling/waits/wait_places.hpp"

namespace dpm::cli {

std::string waits_text(const sampling::WaitPlaces& waits, int width);
nlohmann::ordered_json waits_json(const sampling::WaitPlaces& waits);

}  // namespace dpm::cli

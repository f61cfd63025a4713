// One number out of results.json, by a JSON pointer whose parts may also choose from a list:
//   /parallelism/delay_cpu/P
//   /causality/branching/at=buffer_manager,from=request_interpreter,to=disk_interface/probability
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm::cli {

// Says which part was not found, and the nearest that is there.
Result<double> find_quantity(const nlohmann::ordered_json& results, std::string_view pointer);

}  // namespace dpm::cli

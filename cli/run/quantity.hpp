// Finds one number in results.json by a JSON pointer, whose parts may also select from a list:
//   /parallelism/delay_cpu/P
//   /causality/branching/at=buffer_manager,from=request_interpreter,to=disk_interface/probability
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm::cli {

// The error names the part that was not found, and the nearest existing name.
Result<double> find_quantity(const nlohmann::ordered_json& results, std::string_view pointer);

}  // namespace dpm::cli

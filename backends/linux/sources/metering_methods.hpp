// The ways to meter a program on this machine, as `dpm meter --source` names them. `auto` takes the first that can be used; the last
// needs only the right to run the program.
#pragma once

#include <memory>
#include <vector>

#include "model/metering_method.hpp"

namespace dpm {

std::vector<std::unique_ptr<MeteringMethod>> metering_methods();

}  // namespace dpm

// A trace directory's description of itself: trace.json, and the names journal if there is one.
#pragma once

#include <string>

#include "model/result.hpp"
#include "trace/sidecar.hpp"

namespace dpm {

// A journal that is being written, or is damaged, is read as far as it goes. Then `info` lacks names that only the
// events show, and `split_processes` is empty, so that a reader searches for them.
Result<Sidecar> read_sidecar(const std::string& directory);

// trace.json alone.
Result<Sidecar> read_sidecar_alone(const std::string& directory);

}  // namespace dpm

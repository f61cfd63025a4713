// What a trace directory says of itself: trace.json, and the names journal where there is one.
#pragma once

#include <string>

#include "model/result.hpp"
#include "trace/sidecar.hpp"

namespace dpm {

// A journal that is being written, or is damaged, is read as far as it goes. Then `info` lacks names, which only the
// events show, and `split_processes` says nothing, so that a reader looks at them.
Result<Sidecar> read_sidecar(const std::string& directory);

}  // namespace dpm

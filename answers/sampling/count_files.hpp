// Files of counts, read and added.
#pragma once

#include <string>
#include <vector>

#include "model/result.hpp"
#include "sampling/counts/count_array.hpp"

namespace dpm::cli {

// The sum of all. Refused with the name of the file that does not fit the first.
Result<sampling::CountArray> read_count_files(const std::vector<std::string>& paths);

}  // namespace dpm::cli

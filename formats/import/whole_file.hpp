// A file as a whole, for formats that cannot be read line by line.
#pragma once

#include <cstddef>
#include <string>

#include "model/result.hpp"

namespace dpm {

// Refuses a file that is larger than `bytes_max`.
Result<std::string> read_whole_file(const std::string& path, std::size_t bytes_max);

}  // namespace dpm

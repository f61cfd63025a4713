// Results go to new files; nothing is overwritten.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm::cli {

// Makes the folders above it, too. Refuses a file that exists.
Result<void> write_new_file(const std::string& path, const std::string& text);

}  // namespace dpm::cli

// Results go to new files; nothing is overwritten.
#pragma once

#include <span>
#include <string>

#include "model/result.hpp"

namespace dpm {

// Before a command begins its work: refuses a file that exists, and one name for two files. Empty names are of files that are not wanted.
Result<void> check_new_files(std::span<const std::string> paths);

// Makes the folders above it, too. Refuses a file that exists. One that cannot be written to its end is not left.
Result<void> write_new_file(const std::string& path, const std::string& text);

}  // namespace dpm

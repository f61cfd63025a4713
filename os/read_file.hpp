// The whole text of a small file.
#pragma once

#include <string>

namespace dpm {

std::string read_file(const std::string& path);  // empty if it cannot be read

}  // namespace dpm

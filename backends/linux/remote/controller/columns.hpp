// A small table as text: columns as wide as their widest cell, two blanks between; those named are right-aligned.
#pragma once

#include <string>
#include <vector>

namespace dpm::control {

// `rows` begin with the head. No blanks at the end of lines, no newline at the end.
std::string columns(const std::vector<std::vector<std::string>>& rows, std::size_t right_aligned_column);

}  // namespace dpm::control

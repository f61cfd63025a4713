// A small table as lines of text: columns as wide as their widest cell, two blanks between; those named are right-aligned.
#pragma once

#include <string>
#include <vector>

#include "control/controller/visible.hpp"

namespace dpm::control {

// `rows` begin with the head. No blanks at the end of lines.
Lines columns(const std::vector<std::vector<std::string>>& rows, std::size_t right_aligned_column);

}  // namespace dpm::control

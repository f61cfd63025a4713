// A curve in one line of text.
#pragma once

#include <string>
#include <vector>

namespace dpm::cli {

// The last `width` of the values, from zero to the greatest of them: "▁▂▅█▃", or ".:=#-" in ASCII. A value of zero is a space.
std::string curve_text(const std::vector<double>& values, std::size_t width, bool unicode);

}  // namespace dpm::cli

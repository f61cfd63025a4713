// A drawing as a file of its own: with the style sheet that a report would give it, and a page's background.
#pragma once

#include <string>

namespace dpm::view {

// `svg` is what a draw() function returned.
std::string standalone(const std::string& svg);

}  // namespace dpm::view

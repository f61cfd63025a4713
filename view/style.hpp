#pragma once

#include <string_view>

namespace dpm::view {

// The style sheet of a report: colours are variables, so that light and dark differ in one place.
std::string_view style_sheet();

}  // namespace dpm::view

// How a report looks: the one style sheet, shared by the page and by drawings that stand alone.
#pragma once

#include <string_view>

namespace dpm::view {

// The style sheet of a report: colours are variables, so that light and dark differ in one place.
std::string_view style_sheet();

}  // namespace dpm::view

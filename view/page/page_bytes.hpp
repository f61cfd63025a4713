// The bytes of the page, as the build has assembled them.
#pragma once

#include <string_view>

namespace dpm::view {

std::string_view page_bytes();

}  // namespace dpm::view

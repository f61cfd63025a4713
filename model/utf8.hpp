// Texts in UTF-8.
#pragma once

#include <string_view>

namespace dpm {

// RFC 3629: no overlong forms, no surrogates, nothing above U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace dpm

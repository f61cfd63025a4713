// Texts in UTF-8.
#pragma once

#include <cstddef>
#include <string_view>

namespace dpm {

// The bytes of the character that `text` begins with, or 0 if there is none. RFC 3629: no overlong forms, no surrogates,
// nothing above U+10FFFF.
std::size_t utf8_bytes(std::string_view text);

bool is_utf8(std::string_view text);

}  // namespace dpm

// Bytes as pairs of lower-case hexadecimal digits.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace dpm {

std::string hexadecimal(std::span<const unsigned char> bytes);
std::string hexadecimal(std::string_view bytes);

bool is_hexadecimal(std::string_view text);  // digits only, of any number

// Nothing if the text holds another character, or half a byte.
std::optional<std::string> from_hexadecimal(std::string_view text);
// False if the text does not hold exactly these bytes; then they are not changed.
bool read_hexadecimal(std::string_view text, std::span<unsigned char> bytes);

}  // namespace dpm

// Text for people: lengths in characters, and readable numbers.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dpm::view {

inline constexpr const char* kArrow = " \xE2\x86\x92 ";

// At most `characters` long, with an ellipsis if text was cut. Never cuts inside a character.
std::string shortened(std::string_view text, std::size_t characters);
std::size_t character_count(std::string_view text);

// Length of the UTF-8 character that `text` begins with, or 0 if the first bytes are not one.
std::size_t character_bytes(std::string_view text);

std::string grouped(std::uint64_t number);      // 1234567 -> "1 234 567", with thin spaces
std::string fixed(double value, int decimals);  // "1.43"; "–" if not finite
std::string plain(double value);                // as many digits as needed, at most 4 significant: "0.25", "1200"
std::string percent(double fraction);           // 0.273 -> "27 %", 0.004 -> "0.4 %"
std::string signed_percent(double percent);     // -3.21 -> "−3.2 %"
std::string bytes(double count);                // "1.2 kB", powers of 1000
std::string seconds(double value);              // "12.5 ms"

}  // namespace dpm::view

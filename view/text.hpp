// Text for pages and pictures: escaping, and readable numbers.
//
// Names come from traces, which any user could have made: all text from outside goes through escaped().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dpm::view {

// Makes text safe in HTML or XML and inside a double-quoted attribute. Control characters, which XML forbids, and bytes
// that are not UTF-8 become U+FFFD.
std::string escaped(std::string_view text);

// At most `characters` long, with an ellipsis if text was cut. Never cuts inside a character.
std::string shortened(std::string_view text, std::size_t characters);
std::size_t character_count(std::string_view text);

// Length of the UTF-8 character that `text` begins with, or 0 if the first bytes are not one.
std::size_t character_bytes(std::string_view text);

// An estimate of the width of a line of text in pixels, in the sans-serif font of the page.
double text_width(std::string_view text, double font_size);

std::string grouped(std::uint64_t number);      // 1234567 -> "1 234 567", with thin spaces
std::string fixed(double value, int decimals);  // "1.43"; "–" if not finite
std::string plain(double value);                // as many digits as needed, at most 4 significant: "0.25", "1200"
std::string percent(double fraction);           // 0.273 -> "27 %", 0.004 -> "0.4 %"
std::string signed_percent(double percent);     // -3.21 -> "−3.2 %"
std::string bytes(double count);                // "1.2 kB", powers of 1000
std::string seconds(double value);              // "12.5 ms"
std::string coordinate(double value);           // for SVG: "12.3", "12"

}  // namespace dpm::view

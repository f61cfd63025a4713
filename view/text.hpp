// Text for pages and pictures: escaping, and numbers as people read them.
//
// Names come from traces, so from anybody: everything that is not ours goes through escaped().
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dpm::view {

// Safe as HTML or XML text and inside a double-quoted attribute. Control characters, which XML forbids, become U+FFFD,
// and so do bytes that are no UTF-8.
std::string escaped(std::string_view text);

// At most `characters` long, with an ellipsis if something was cut; never cuts inside a character.
std::string shortened(std::string_view text, std::size_t characters);
std::size_t character_count(std::string_view text);

// Length of the UTF-8 character that `text` begins with, or 0 if none does.
std::size_t character_bytes(std::string_view text);

// How wide a line of text is likely to be, in pixels, in the sans-serif font of the page.
double text_width(std::string_view text, double font_size);

std::string grouped(std::uint64_t number);      // 1234567 -> "1 234 567", with thin spaces
std::string fixed(double value, int decimals);  // "1.43"; "–" for what is no number
std::string plain(double value);                // as many digits as needed, at most 4 significant: "0.25", "1200"
std::string percent(double fraction);           // 0.273 -> "27 %", 0.004 -> "0.4 %"
std::string signed_percent(double percent);     // -3.21 -> "−3.2 %"
std::string bytes(double count);                // "1.2 kB", powers of 1000
std::string seconds(double value);              // "12.5 ms"
std::string coordinate(double value);           // for SVG: "12.3", "12"

}  // namespace dpm::view

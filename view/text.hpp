// Readable numbers of a page.
#pragma once

#include <cstdint>
#include <string>

namespace dpm::view {

inline constexpr const char* kArrow = " \xE2\x86\x92 ";

std::string grouped(std::uint64_t number);      // 1234567 -> "1 234 567", with thin spaces
std::string fixed(double value, int decimals);  // "1.43"; "–" if not finite
std::string plain(double value);                // as many digits as needed, at most 4 significant: "0.25", "1200"
std::string percent(double fraction);           // 0.273 -> "27 %", 0.004 -> "0.4 %"
std::string signed_percent(double percent);     // -3.21 -> "−3.2 %"
std::string bytes(double count);                // "1.2 kB", powers of 1000
std::string seconds(double value);              // "12.5 ms"

}  // namespace dpm::view

// Numbers as tables and sentences print them.
#pragma once

#include <string>

namespace dpm::cli {

// "1.65", "0.0042": `digits` after the point.
std::string fixed(double value, int digits);
// "7", "0.25", as short as it can be read.
std::string short_number(double value);
// Four digits, whatever the size: "0.0042", "1.637", "80.02".
std::string significant(double value);
// Seconds with a unit that suits: "12.3 ms", "4.56 s".
std::string seconds_text(double seconds);
// "51 %"
std::string percent(double fraction, int digits = 0);
// "+0.30 %", "-1.20 %", and "0.00 %" for what rounds to nothing.
std::string signed_percent(double fraction, int digits);

}  // namespace dpm::cli

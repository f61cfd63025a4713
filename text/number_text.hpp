// Numbers as tables and sentences print them.
#pragma once

#include <string>

namespace dpm {

// "1.65", "0.0042": `digits` after the point.
std::string fixed(double value, int digits);
// At most `digits` significant digits, without trailing zeros: "0.0042", "1.637", "80.02".
std::string significant(double value, int digits = 4);
// Seconds in the unit that fits: "12.30 ms", "4.56 s".
std::string seconds_text(double seconds);
// "51 %"
std::string percent(double fraction, int digits = 0);
// "+0.30 %", "-1.20 %", and "0.00 %" for values that round to zero.
std::string signed_percent(double fraction, int digits);

}  // namespace dpm

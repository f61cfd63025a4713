// Sizes and ages for people.
#pragma once

#include <cstdint>
#include <string>

namespace dpm::control {

std::string size_text(std::uint64_t bytes);   // "9 bytes", "12 kB", "1340 MB"
std::string age_text(std::uint64_t seconds);  // "9 s", "12 min", "3 h", "40 days"

}  // namespace dpm::control

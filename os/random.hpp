// The system's random numbers, which other processes cannot guess.
#pragma once

#include <span>
#include <string>

#include "model/result.hpp"

namespace dpm {

Result<void> draw_random(std::span<unsigned char> bytes);

// 64 hexadecimal digits: a filter's secret.
Result<std::string> new_secret();

}  // namespace dpm

// "did you mean 'msgLength'?": the valid name nearest to what was typed.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace dpm {

// Empty when nothing is near (more than a third of the letters would have to change).
std::string nearest_name(std::string_view typed, std::span<const std::string> valid);

// " (did you mean 'x'?)", or "" when nothing is near.
std::string did_you_mean(std::string_view typed, std::span<const std::string> valid);

}  // namespace dpm

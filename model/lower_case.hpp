// Words that users may write in any case. ASCII only: names of commands, flags and event types.
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>

namespace dpm {

inline std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace dpm

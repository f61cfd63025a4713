// Names in a message: the first eight, and the number of the others.
#pragma once

#include <string>
#include <vector>

namespace dpm::control {

inline std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kNamedMax = 8;
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kNamedMax; ++i) text += (i == 0 ? "" : ", ") + names[i];
  return names.size() <= kNamedMax ? text : text + " and " + std::to_string(names.size() - kNamedMax) + " more";
}

}  // namespace dpm::control

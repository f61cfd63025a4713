// A number with its noun, for sentences: "1 message", "2 messages", "3 processes", "4 activities".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace dpm {

// `noun` is a regular English noun in the singular, perhaps with words before it.
inline std::string counted(std::uint64_t count, std::string_view noun) {
  std::string text = std::to_string(count) + " ";
  text += noun;
  if (count == 1 || noun.empty()) return text;
  const auto before_last = noun.size() > 1 ? noun[noun.size() - 2] : ' ';
  const bool ends_in_ies = noun.back() == 'y' && std::string_view("aeiou ").find(before_last) == std::string_view::npos;
  if (ends_in_ies) text.pop_back();
  return text + (ends_in_ies ? "ies" : noun.back() == 's' ? "es" : "s");
}

}  // namespace dpm

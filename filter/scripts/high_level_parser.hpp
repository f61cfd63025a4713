// Reads the lines "when NAME is ..." and "region NAME is ..." of an event script (high_level_event.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <variant>

#include "filter/scripts/high_level_event.hpp"

namespace dpm {

struct ScriptMistake {
  std::size_t column = 0;
  std::string what;
};

// `events` are those that are defined above, by name.
std::variant<HighLevelEvent, ScriptMistake> parse_high_level(std::string_view line,
                                                             const std::map<std::string, std::size_t>& events);

std::variant<RegionDefinition, ScriptMistake> parse_region(std::string_view line,
                                                           const std::map<std::string, std::size_t>& events);

}  // namespace dpm

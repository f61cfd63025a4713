// The written form of selection rules (thesis figures 3.4 and 3.5, where they are "selection rules"; metering report
// figures 3.3 and 3.4, where the file is called "templates").
//
//   rules      = { rule ( ";" | newline ) }           a comma at the end of a line continues the rule on the next one
//   rule       = condition { [ "," ] condition }
//   condition  = field operator [ "#" ] value
//   operator   = ">" | "<" | "=" | "!=" | ">=" | "<=" | "≠" | "≥" | "≤"
//   value      = "*" | number | name of a field | name of an event type
//
// "#" before a value discards the field from the records that the rule accepts; "#*" accepts any value and discards.
// The printed thesis sets "#*" as "**" and as "##", so both mean the same here. "//" begins a comment. This file only
// parses the form; filter/rules.hpp resolves the names.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm {

enum class Comparison : std::uint8_t { greater, less, equal, not_equal, at_least, at_most };

struct Condition {
  std::string field;
  Comparison comparison = Comparison::equal;
  bool discards = false;
  bool any_value = false;
  std::string value;  // as written, unless any_value
};

struct Rule {
  int line = 0;
  std::vector<Condition> conditions;
};

// `file` names the text in messages: "FILE:LINE: ...".
Result<std::vector<Rule>> parse_rules(const std::string& file, std::string_view text);

}  // namespace dpm

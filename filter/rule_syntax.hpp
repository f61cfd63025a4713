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
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"

namespace dpm {

enum class Comparison : std::uint8_t { greater, less, equal, not_equal, at_least, at_most };

// Takes the operator that `text` begins with off it; none: `text` stays.
std::optional<Comparison> take_comparison(std::string_view& text);
// Takes the letters, digits and "_" that `text` begins with off it.
std::string take_field_name(std::string_view& text);

// Whether `left` and `right` compare so.
template <typename Number>
bool holds(Comparison comparison, Number left, Number right) {
  switch (comparison) {
    case Comparison::greater:
      return left > right;
    case Comparison::less:
      return left < right;
    case Comparison::equal:
      return left == right;
    case Comparison::not_equal:
      return left != right;
    case Comparison::at_least:
      return left >= right;
    case Comparison::at_most:
      return left <= right;
  }
  return false;
}

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

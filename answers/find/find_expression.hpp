// What dpm find is asked, as it is typed.
//
//   expression = [ kind ] rule { ";" rule }
//   kind       = "messages" | "requests" | "processes" | "channels" | "gaps"      messages, unless it is there
//   rule       = { [ "," ] condition }
//   condition  = field operator value
//   operator   = ":" | ">" | "<" | "=" | "!=" | ">=" | "<=" | "≠" | "≥" | "≤"
//   value      = a name, a time, a size or a number, as the field is; in quotes if it has spaces
//
// Conditions are those of filter rules (filter/rule_syntax.hpp): all of a rule hold, or all of another one. The values are those of
// options: 10ms (text/duration_text.hpp), 64k (text/bytes_text.hpp). Beyond rules, fields may be names: ":" stands for all that is called so,
// with what is numbered ("nginx#2"), "=" for exactly that name, and "*" in a name for any characters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "answers/find/item.hpp"
#include "filter/rule_syntax.hpp"
#include "model/result.hpp"

namespace dpm::cli {

struct FindCondition {
  const ItemField* field = nullptr;
  Comparison comparison = Comparison::equal;
  bool with_numbered = false;  // ":"
  std::string name;            // of a name
  std::int64_t amount = 0;     // of a number: nanoseconds, bytes or itself
};

using FindRule = std::vector<FindCondition>;

struct FindExpression {
  ItemKind kind = ItemKind::messages;
  std::vector<FindRule> rules;  // none: everything
};

// The error has the place, counted in characters from 1, and an example.
Result<FindExpression> parse_find_expression(std::string_view text);

}  // namespace dpm::cli

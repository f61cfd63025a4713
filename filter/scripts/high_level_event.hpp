// High-level events (S3 5.2): events that are made of primitive ones. docs/event-scripts.md is the grammar's description.
//
//   high-level = "when" NAME "is" any [ "while" EVENT "until" EVENT ] [ "do" ACTION { "," ACTION } ]
//   any        = both { "or" both }
//   both       = sequence { "and" [ "not" ] sequence [ "within" TIME ] }
//   sequence   = [ "not" part "then" ] part [ "within" TIME ] { next }
//   next       = "then" part [ "within" TIME ]
//              | "then" "not" part "within" TIME
//              | "then" "not" part "then" part [ "within" TIME ]
//   part       = ( EVENT [ "(" condition { "," condition } ")" ] | "(" any ")" ) [ "count" N [ "within" TIME ] ]
//   condition  = FIELD OPERATOR NUMBER | FIELD "=" "$" NAME
//
//   region     = "region" NAME "is" simple "until" simple
//   simple     = EVENT [ "(" condition { "," condition } ")" ]
//   ACTION     = "report" | "count" | "snapshot" | "on" EVENT | "off" EVENT
//              | "stop" [ "of" JOB ] | "flags" FLAG { FLAG } [ "of" JOB ]
//
// "then not" with nothing behind it and "and not" need a TIME: that an event does not happen is known when a time is over.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/whole_number.hpp"

namespace dpm {

// What is known of a primitive event that happened.
enum class OccurrenceField : std::uint8_t { value, process, peer, channel, connection };
inline constexpr std::array<std::string_view, 5> kOccurrenceFieldNames = {"value", "process", "peer", "channel",
                                                                          "connection"};

enum class FieldComparison : std::uint8_t { equal, unequal, less, at_most, greater, at_least };
inline constexpr std::array<std::string_view, 6> kComparisonNames = {"=", "!=", "<", "<=", ">", ">="};

inline constexpr std::size_t kVariablesMost = 4;  // of one high-level event

struct FieldCondition {
  OccurrenceField field = OccurrenceField::value;
  FieldComparison comparison = FieldComparison::equal;
  WholeNumber number;
  std::optional<std::size_t> variable;  // instead of the number: takes the value, or has it already
};

struct EventExpression {
  // then_not: the second does not follow the first in a time. without: the second follows the first, and no third is
  // between them. absent: the second, and no first happened before it. both_not: the first, and no second in a time around it.
  enum class Kind : std::uint8_t { primitive, either, both, then, then_not, without, absent, both_not, count };

  Kind kind = Kind::primitive;
  std::size_t event = 0;                   // primitive: in EventScript::events
  std::vector<FieldCondition> conditions;  // primitive
  std::vector<EventExpression> parts;      // of all others: two; of a count, one; of `without`, three
  std::uint64_t count = 0;
  std::optional<std::int64_t> within_ns;
};

enum class HighLevelActionKind : std::uint8_t { report, count, snapshot, stop, flags, on, off };
inline constexpr std::array<std::string_view, 7> kHighLevelActionNames = {"report", "count", "snapshot", "stop",
                                                                          "flags",  "on",    "off"};

struct HighLevelAction {
  HighLevelActionKind kind = HighLevelActionKind::report;
  std::size_t event = 0;  // on, off: in EventScript::events
  std::string flags;      // as apply_flags() takes them
  std::string job;        // stop, flags; empty: that of the processes which made the event
};

// A condition of a process (Spezialetti and Kearns): true from after one primitive event until another one.
struct RegionDefinition {
  std::string name;
  struct Edge {
    std::size_t event = 0;  // in EventScript::events; both of the same process definition
    std::vector<FieldCondition> conditions;
  };
  Edge begin, end;
  std::size_t line = 0;
  bool is_defined = true;
};

struct HighLevelEvent {
  std::string name;
  EventExpression expression;
  struct Region {
    std::size_t begin = 0, end = 0;  // in EventScript::events
  };
  std::optional<Region> during;
  std::vector<HighLevelAction> actions;  // none: it is reported
  std::vector<std::string> variables;
  std::size_t line = 0;
  bool is_defined = true;

  bool does(HighLevelActionKind kind) const {
    if (actions.empty()) return kind == HighLevelActionKind::report;
    for (const HighLevelAction& action : actions)
      if (action.kind == kind) return true;
    return false;
  }
};

// The primitive events that it is made of, each once.
std::vector<std::size_t> primitive_events_of(const HighLevelEvent& event);

}  // namespace dpm

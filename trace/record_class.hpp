// Which records a trace holds: the layouts they had when they were metered, minus the fields that the rules of each
// filter discard. All of it is known before the first event, because rules are compiled when they are loaded.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "model/record_layout.hpp"

namespace dpm {

inline constexpr std::size_t kFieldsMax = 64;  // of one layout: a discard set is one word

// Records of one layout with the same fields discarded. On disk a class is an event class of CTF.
struct RecordClass {
  std::uint32_t layout = 0;            // index into TraceDescription::layouts
  std::uint64_t discarded_fields = 0;  // bit i: field i of the layout is not in the trace

  bool has(std::size_t field) const { return (discarded_fields >> field & 1u) == 0; }
  friend bool operator==(const RecordClass&, const RecordClass&) = default;
};

// A record's class as an index into its filter's classes.
using ClassIndex = std::uint16_t;
inline constexpr ClassIndex kNotKept = std::numeric_limits<ClassIndex>::max();

struct TraceFilter {
  std::string name;
  std::string rules;  // as written by the user; empty: everything is kept
  std::vector<RecordClass> classes;
};

struct TraceDescription {
  std::vector<RecordLayout> layouts;
  std::vector<TraceFilter> filters;
};

}  // namespace dpm

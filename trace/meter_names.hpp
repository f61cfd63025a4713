// How the tables of a TraceInfo travel beside a stream of events, and lie in a names journal: as JSON texts, each small,
// that say what has been added (model/trace_growth.hpp). docs/trace-format.md describes them as NAMES.
//
//   {"source": "linux-seccomp", "machines": [{"id": 0, "name": "red", "speed": 1.0}],
//    "processes": [{"id": 0, "name": "server", "machine": 0, ...}], "channels": [{"id": 0, "owner": 0, ...}]}
//
// Entries are those of trace.json, with their ids. What becomes known of an id that was told already is told as
// "renamed", "owners" and "ends" (names_journal.hpp), or by the entry as it is now. Delays, placement and seed do not
// travel.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

// A text is no longer than this, so that a message with it is small enough for every filter.
inline constexpr std::size_t kNamesBytesMax = 60 * 1024;

// The growth as texts. `told` counts what earlier texts described, and counts on.
std::vector<std::string> to_names(const TraceGrowth& growth, TableSizes& told);

// Appends to `growth` what one text tells, beyond what `known` counts, and counts on. An error is a text that is none of
// these: what came before the damage in it has been taken, and every id in `growth` is sound.
Result<void> read_names(std::string_view text, TableSizes& known, TraceGrowth& growth);

// The same into tables.
Result<void> take_names(std::string_view text, TraceInfo& info);

}  // namespace dpm

// How the tables of a TraceInfo travel beside a stream of events, and are stored in a names journal: as small JSON
// texts that contain what has been added (model/trace_growth.hpp). docs/trace-format.md describes them as NAMES.
//
//   {"source": "linux-seccomp", "machines": [{"id": 0, "name": "red", "speed": 1.0}],
//    "processes": [{"id": 0, "name": "server", "machine": 0, ...}], "channels": [{"id": 0, "owner": 0, ...}]}
//
// Entries are those of trace.json, with their ids. Changes to an id that was sent already are sent as "renamed",
// "owners" and "ends" (names_journal.hpp), or by the entry as it is now. Delays, placement and seed are not
// sent.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

// A text is at most this long, so that a message with it is small enough for every filter.
inline constexpr std::size_t kNamesBytesMax = 60 * 1024;

// The growth as texts. `sent` counts what earlier texts described; this call advances it.
std::vector<std::string> to_names(const TraceGrowth& growth, TableSizes& sent);

// Appends to `growth` what one text adds beyond what `known` counts, and advances `known`. An error means a malformed
// text: what came before the damage in it has been added, and every id in `growth` is valid.
Result<void> read_names(std::string_view text, TableSizes& known, TraceGrowth& growth);

// The same into tables.
Result<void> take_names(std::string_view text, TraceInfo& info);

// The text, in a journal that was written again, that skips ids: the next rows of these tables have these ids.
std::string skipped_names(const TableSizes& next);
// None: it is another text, or makes no sense.
std::optional<TableSizes> read_skipped_names(std::string_view text);

}  // namespace dpm

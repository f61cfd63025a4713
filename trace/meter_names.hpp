// How the tables of a TraceInfo travel beside a stream of events: as JSON texts that say what has been added since the
// last one, each small. docs/meter-stream.md describes them as NAMES.
//
//   {"source": "linux-seccomp", "machines": [{"id": 0, "name": "red", "speed": 1.0}],
//    "processes": [{"id": 0, "name": "server", "machine": 0, ...}], "channels": [{"id": 0, "owner": 0, ...}]}
//
// Entries are those of trace.json, with their ids. An id that was told already is told again when its entry has changed
// (a process executes another program, a channel's owner becomes known), or only what has changed, as "renamed",
// "owners" and "ends" (names_journal.hpp). Delays, placement and seed do not travel.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// A text is no longer than this, so that a message with it is small enough for every filter.
inline constexpr std::size_t kNamesBytesMax = 60 * 1024;

// Knows what it has told.
class NamesTeller {
 public:
  // What was added to `info` since the last call; with `changes` also the entries that are not what they were, for
  // which everything has to be compared. Nothing to tell: no text.
  std::vector<std::string> tell(const TraceInfo& info, bool changes);

  const TraceInfo& told() const { return told_; }

 private:
  TraceInfo told_;
};

// Takes what one text tells into `info`. An error is a text that is none of these: what came before the damage in it
// has been taken, and `info` is sound.
Result<void> take_names(std::string_view text, TraceInfo& info);

}  // namespace dpm

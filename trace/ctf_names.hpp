// The names of processes, channels and machines for readers of CTF, as enumerations of the metadata: a record keeps its
// numbers, and a viewer shows `fromTask = ( "redis-server" : container = 3 )`.
//
// An enumeration is fixed where it is declared, and names come while a trace is recorded. So the metadata of a recording
// have none, and are written again with them when it ends.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "model/trace_info.hpp"
#include "trace/event_fields.hpp"

namespace dpm {

// What comes later has only its number. babeltrace2 copies the names of a type for each field that has it, in the event classes
// of each stream, compares them in pairs, and searches them one by one in each record: with 16 streams 1000 names took it
// 3.7 s and 517 MB, and 3000 more than a minute. So the more fields, the fewer names: it opens any trace in a few seconds.
inline constexpr std::size_t kCtfNamesMost = 1000;
std::size_t ctf_names_most(std::size_t fields);
inline constexpr std::size_t kCtfNameBytesMax = 200;

class CtfNames {
 public:
  CtfNames() = default;  // no names: numbers
  // `fields`: how many fields of the trace's event classes will have these types.
  CtfNames(const TraceInfo& info, std::size_t fields);

  // To come before the streams.
  const std::string& declarations() const { return declarations_; }
  static bool can_name(EventMember member);
  // The type of this member of an Event; nothing if it has no names.
  std::optional<std::string_view> type_of(EventMember member) const;

 private:
  std::string declarations_;
  bool processes_ = false, channels_ = false, machines_ = false;
};

// A string literal of TSDL, in UTF-8 and on one line, whatever the name is.
std::string ctf_literal(std::string_view name);

}  // namespace dpm

// The names of an Event's fields: which words of the original documents mean which member of Event.
//
// An Event in memory is a record like any other: event_layouts() describes it, so that selection rules, the trace on
// disk and foreign meter messages all refer to fields by name. The name of a field depends on the event: the process of
// a SEND is its `fromTask`, the process of a RECEIVE its `toTask`, and both are its `pid`. Names are compared ignoring
// case.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/event.hpp"
#include "model/record_layout.hpp"

namespace dpm {

enum class EventMember : std::uint8_t {
  local_time,
  proc_time,
  pc,
  sequence,
  length,
  channel,
  process,
  peer,
  code,
  passed_channel,
  machine,
  load,
  type,
  evidence,
  flags,
  ready_time,
  disk_time,
};
inline constexpr std::size_t kEventMembers = 17;

// The offset of a member in struct Event.
struct MemberPlace {
  std::uint32_t offset_bytes = 0;
  std::uint32_t length_bytes = 0;
};
MemberPlace place_of(EventMember member);

// Every kind of Event in memory as records of 80 bytes, in the order of their type numbers. A kind has the fields that
// model/event.hpp defines for it; its other members have no id or are 0.
std::span<const RecordLayout> event_layouts();
// Those of programs: all but SUMMARY, which comes last. A trace that describes no others is one that earlier versions read.
std::span<const RecordLayout> program_event_layouts();

// Index into event_layouts().
constexpr std::size_t layout_index(EventType type) { return static_cast<std::size_t>(type) - 1; }

// What `field` means in an event of this type, by any of its names.
std::optional<EventMember> member_named(EventType type, std::string_view field);

// The field of that name, or of another name for the same thing ("type" for "traceType"); nullptr if there is
// none.
const RecordField* find_field(const RecordLayout& layout, std::string_view name);

// A name that the documents use for this event and that our own meters don't record (`sendLink`, the number of the link
// in its sender's link table). Rules may discard it, without effect, and may not compare it.
bool is_unrecorded_field(const RecordLayout& layout, std::string_view name);

// The clock may have started below zero: `time` of eight bytes is signed, every other field is not.
bool is_signed(const RecordField& field);

// True if records of these layouts carry Events unchanged: every member in its own width, so the ids in them are the
// dense ids of a TraceInfo. False for foreign records, whose process and machine numbers must be interned.
bool carries_events(std::span<const RecordLayout> layouts);

bool same_name(std::string_view a, std::string_view b);  // ignoring case

}  // namespace dpm

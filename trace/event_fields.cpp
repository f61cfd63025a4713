#include "trace/event_fields.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "model/check.hpp"

namespace dpm {
namespace {

using TypeSet = std::uint32_t;

constexpr TypeSet set_of(std::initializer_list<EventType> types) {
  TypeSet set = 0;
  for (const auto type : types) set |= 1u << static_cast<unsigned>(type);
  return set;
}

constexpr bool contains(TypeSet set, EventType type) { return (set >> static_cast<unsigned>(type) & 1u) != 0; }

constexpr TypeSet kAny = ~0u;
constexpr TypeSet kSend = set_of({EventType::send});
constexpr TypeSet kReceiveCall = set_of({EventType::receive_call});
constexpr TypeSet kArrival = set_of({EventType::receive, EventType::message_queued});
constexpr TypeSet kMessage = kSend | kArrival;
constexpr TypeSet kPath = set_of({EventType::create_path, EventType::destroy_path});
constexpr TypeSet kAccept = set_of({EventType::accept});
constexpr TypeSet kConnection = kAccept | set_of({EventType::connect});
constexpr TypeSet kSocket = set_of({EventType::socket});
constexpr TypeSet kDup = set_of({EventType::dup});
constexpr TypeSet kDescriptor = kConnection | kSocket | kDup;
constexpr TypeSet kExec = set_of({EventType::exec});
constexpr TypeSet kGap = set_of({EventType::gap});
constexpr TypeSet kWait = set_of({EventType::wait});
constexpr TypeSet kValue = set_of({EventType::value});
constexpr TypeSet kPrimitive = kValue | set_of({EventType::point});
constexpr TypeSet kSummary = set_of({EventType::summary});
constexpr TypeSet kCreate = set_of({EventType::create_process});
constexpr TypeSet kDestroy = set_of({EventType::destroy_process});
constexpr TypeSet kChange = set_of({EventType::start_process, EventType::stop_process}) | kDestroy;

struct FieldName {
  std::string_view name;
  EventMember member;
  TypeSet types;
  std::uint32_t base = 10;
  bool printed = true;  // the name we print; the others are accepted
};

// In the order of struct Event. Sources: thesis figure 3.3 and 5.2.2, metering report figure 3.2 and appendix A, 1988
// paper III.A for the header.
constexpr std::array kFieldNames = {
    FieldName{"time", EventMember::local_time, kAny},
    FieldName{"cpuTime", EventMember::local_time, kAny, 10, false},  // the metering report's name for the system clock
    FieldName{"procTime", EventMember::proc_time, kAny},
    FieldName{"pc", EventMember::pc, kAny, 16},
    FieldName{"sequence", EventMember::sequence, kMessage | kGap},
    FieldName{"waitedNs", EventMember::sequence, kWait},
    FieldName{"value", EventMember::sequence, kValue | kSummary},
    FieldName{"msgLength", EventMember::length, kMessage | kGap},
    FieldName{"length", EventMember::length, kMessage | kGap, 10, false},
    FieldName{"coveredMs", EventMember::length, kSummary},
    FieldName{"channel", EventMember::channel, kMessage | kPath | kDescriptor | kGap},
    // An accepting process has two sockets: the one it listens on and the one it gets (metering report, appendix A).
    FieldName{"sock", EventMember::channel, (kMessage | kPath | kDescriptor | kGap) & ~kAccept, 10, false},
    FieldName{"newsock", EventMember::channel, kAccept, 10, false},
    FieldName{"fromTask", EventMember::process, kSend},
    FieldName{"toTask", EventMember::process, kArrival | kReceiveCall},
    FieldName{"task", EventMember::process,
              kPath | kCreate | kChange | kDescriptor | kExec | kGap | kWait | kPrimitive | kSummary},
    FieldName{"pid", EventMember::process, kAny, 10, false},
    FieldName{"process", EventMember::process, kAny, 10, false},
    FieldName{"toTask", EventMember::peer, kSend},
    FieldName{"fromTask", EventMember::peer, kArrival},
    FieldName{"byTask", EventMember::peer, kWait},
    FieldName{"owner", EventMember::peer, kPath},
    FieldName{"newTask", EventMember::peer, kCreate},
    FieldName{"newPid", EventMember::peer, kCreate, 10, false},
    FieldName{"byTask", EventMember::peer, kChange},
    FieldName{"byPid", EventMember::peer, kChange, 10, false},
    FieldName{"peerTask", EventMember::peer, kConnection},
    FieldName{"peer", EventMember::peer, kAny & ~(kReceiveCall | kSocket | kDup | kExec | kGap | kPrimitive | kSummary),
              10, false},
    FieldName{"code", EventMember::code, kMessage},
    FieldName{"channelSet", EventMember::code, kReceiveCall},
    FieldName{"exitCode", EventMember::code, kDestroy},
    FieldName{"listener", EventMember::code, kAccept},
    FieldName{"sock", EventMember::code, kAccept, 10, false},
    FieldName{"socketKind", EventMember::code, kSocket, 16},
    FieldName{"newDescriptor", EventMember::code, kDup},
    FieldName{"newsock", EventMember::code, kDup, 10, false},
    FieldName{"direction", EventMember::code, kGap},
    FieldName{"waitKind", EventMember::code, kWait},
    FieldName{"primitiveEvent", EventMember::code, kPrimitive},
    FieldName{"quantity", EventMember::code, kSummary},
    FieldName{"passLink", EventMember::passed_channel, kMessage},
    FieldName{"receiveChannel", EventMember::passed_channel, kDescriptor | set_of({EventType::destroy_path})},
    FieldName{"machine", EventMember::machine, kAny},
    FieldName{"machineID", EventMember::machine, kAny, 10, false},
    FieldName{"loadAverage", EventMember::load, kAny},
    FieldName{"load", EventMember::load, kAny, 10, false},
    FieldName{"traceType", EventMember::type, kAny},
    FieldName{"type", EventMember::type, kAny, 10, false},
    FieldName{"evidence", EventMember::evidence, kAny},
    FieldName{"flags", EventMember::flags, kAny, 16},
    FieldName{"readyTime", EventMember::ready_time, kAny},
    FieldName{"diskTime", EventMember::disk_time, kAny},
};

std::vector<RecordLayout> build_event_layouts() {
  std::vector<RecordLayout> layouts;
  for (const auto type : kEventTypes) {
    RecordLayout layout{std::string(name_of(type)), static_cast<std::uint64_t>(type), sizeof(Event), {}};
    for (const auto& field : kFieldNames) {
      if (!field.printed || !contains(field.types, type)) continue;
      const MemberPlace place = place_of(field.member);
      layout.fields.push_back({std::string(field.name), place.offset_bytes, place.length_bytes, field.base});
    }
    layouts.push_back(std::move(layout));
  }
  return layouts;
}

// In a layout without an event of ours, only names with the same meaning everywhere have synonyms.
std::optional<EventMember> header_member_named(std::string_view field) {
  for (const auto& known : kFieldNames)
    if (known.types == kAny && same_name(known.name, field)) return known.member;
  return std::nullopt;
}

std::optional<EventMember> member_in(const RecordLayout& layout, std::string_view field) {
  const auto type = event_type_from_name(layout.name);
  return type ? member_named(*type, field) : header_member_named(field);
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

MemberPlace place_of(EventMember member) {
  switch (member) {
    case EventMember::local_time:
      return {offsetof(Event, local_time), sizeof(Event::local_time)};
    case EventMember::proc_time:
      return {offsetof(Event, proc_time_ns), sizeof(Event::proc_time_ns)};
    case EventMember::pc:
      return {offsetof(Event, pc), sizeof(Event::pc)};
    case EventMember::sequence:
      return {offsetof(Event, sequence), sizeof(Event::sequence)};
    case EventMember::length:
      return {offsetof(Event, length_bytes), sizeof(Event::length_bytes)};
    case EventMember::channel:
      return {offsetof(Event, channel), sizeof(Event::channel)};
    case EventMember::process:
      return {offsetof(Event, process), sizeof(Event::process)};
    case EventMember::peer:
      return {offsetof(Event, peer), sizeof(Event::peer)};
    case EventMember::code:
      return {offsetof(Event, code), sizeof(Event::code)};
    case EventMember::passed_channel:
      return {offsetof(Event, passed_channel), sizeof(Event::passed_channel)};
    case EventMember::machine:
      return {offsetof(Event, machine), sizeof(Event::machine)};
    case EventMember::load:
      return {offsetof(Event, load), sizeof(Event::load)};
    case EventMember::type:
      return {offsetof(Event, type), sizeof(Event::type)};
    case EventMember::evidence:
      return {offsetof(Event, evidence), sizeof(Event::evidence)};
    case EventMember::flags:
      return {offsetof(Event, flags), sizeof(Event::flags)};
    case EventMember::ready_time:
      return {offsetof(Event, ready_time_ns), sizeof(Event::ready_time_ns)};
    case EventMember::disk_time:
      return {offsetof(Event, disk_time_ns), sizeof(Event::disk_time_ns)};
  }
  DPM_CHECK(!"a member of Event");
  return {};
}

std::span<const RecordLayout> event_layouts() {
  static const std::vector<RecordLayout> layouts = build_event_layouts();
  return layouts;
}

std::span<const RecordLayout> program_event_layouts() {
  static_assert(kEventTypes.back() == EventType::summary);
  return event_layouts().first(kEventTypes.size() - 1);
}

std::optional<EventMember> member_named(EventType type, std::string_view field) {
  for (const auto& known : kFieldNames)
    if (contains(known.types, type) && same_name(known.name, field)) return known.member;
  return std::nullopt;
}

const RecordField* find_field(const RecordLayout& layout, std::string_view name) {
  for (const auto& field : layout.fields)
    if (same_name(field.name, name)) return &field;
  const auto member = member_in(layout, name);
  if (!member) return nullptr;
  for (const auto& field : layout.fields)
    if (member_in(layout, field.name) == member) return &field;
  return nullptr;
}

bool is_unrecorded_field(const RecordLayout& layout, std::string_view name) {
  return same_name(name, "sendLink") && event_type_from_name(layout.name) == EventType::send &&
         find_field(layout, name) == nullptr;
}

bool is_signed(const RecordField& field) {
  return field.length_bytes == 8 && (same_name(field.name, "time") || same_name(field.name, "value"));
}

bool carries_events(std::span<const RecordLayout> layouts) {
  for (const auto& layout : layouts) {
    const auto type = event_type_from_name(layout.name);
    if (!type || find_field(layout, "evidence") == nullptr) return false;
    for (const auto& field : layout.fields) {
      const auto member = member_named(*type, field.name);
      if (member ? place_of(*member).length_bytes != field.length_bytes : field.name != "size") return false;
    }
  }
  return !layouts.empty();
}

}  // namespace dpm

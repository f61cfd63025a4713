#include "answers/results/event_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iomanip>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "analysis/vector_clocks/event_clocks.hpp"
#include "model/machine_quantity.hpp"
#include "model/value.hpp"
#include "model/wait_kind_name.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kNameMax = 24;
constexpr int kTimeDigits = 9;  // nanoseconds, the resolution of the clocks

// The machines of one group, whose times are given by one clock.
struct Group {
  MachineId reference;
  CommonInstant begin;
  std::vector<std::uint32_t> events;  // in order
  bool is_wanted = false;             // one of them is
};

std::vector<Group> groups_of(const EventList& list) {
  std::vector<Group> groups;
  for (const std::uint32_t at : list.order.in_order) {
    const MachineId reference = list.time.reference_of(list.events[at].machine);
    auto group = std::find_if(groups.begin(), groups.end(), [&](const Group& g) { return g.reference == reference; });
    if (group == groups.end()) group = groups.insert(groups.end(), {reference, list.order.times[at], {}});
    group->events.push_back(at);
    group->is_wanted |= list.is_wanted(list.events[at]);
  }
  std::erase_if(groups, [](const Group& group) { return !group.is_wanted; });
  return groups;
}

std::string short_name(const std::string& name) {
  const std::string shown = printable(name);
  return shown.size() <= kNameMax ? shown : shown.substr(0, kNameMax - 3) + "...";
}

template <typename Named>
int widest(const std::vector<Named>& all, std::size_t at_least) {
  for (const Named& one : all) at_least = std::max(at_least, short_name(one.name).size());
  return static_cast<int>(at_least);
}

double seconds_since(CommonInstant begin, CommonInstant then) { return static_cast<double>(then.ns - begin.ns) * 1e-9; }

std::string channel_of(const Event& event) {
  return event.channel.is_none() ? "" : std::to_string(event.channel.value);
}

// "WAIT 1.250 ms for the end of", in the columns where messages have their bytes and channel.
std::string what_waited_for(const Event& event) {
  const std::string waited = "WAIT " + seconds_text(static_cast<double>(event.sequence) * 1e-9);
  switch (static_cast<WaitKind>(event.code)) {
    case WaitKind::process_end:
    case WaitKind::thread_end:
      return waited + " for the end of";
    case WaitKind::signal:
      return waited + " for a signal of";
    case WaitKind::futex:
      return waited + " for a wake-up by";
  }
  return waited;
}

// "integer_assign on i in main = 5".
std::string what_happened_inside(const Event& event, const TraceInfo& info) {
  const PrimitiveEvent& row = info.primitive_events.at(event.code);
  std::string text = printable(row.action);
  if (!row.object.empty()) text += " on " + printable(row.object);
  if (!row.function.empty()) text += " in " + printable(row.function);
  if (event.type == EventType::value) text += " = " + number_of(event).to_text();
  return text;
}

// "memory_bytes = 25275989000 in 10.00 s".
std::string what_was_summarised(const Event& event) {
  return fmt::format("{} = {} in {}", name_of(static_cast<MachineQuantity>(event.code)), event.sequence,
                     seconds_text(static_cast<double>(event.length_bytes) * 1e-3));
}

bool is_end_of_message(EventType type) {
  return type == EventType::send || type == EventType::receive || type == EventType::message_queued;
}

// "  {server:3,client:1}", for a line; by process in the order of the trace.
std::string clock_text(const VectorClock& clock, const TraceInfo& info) {
  std::string text = "  {";
  clock.for_each([&](std::uint32_t process, std::uint32_t count) {
    text += (text.size() > 3 ? "," : "") + short_name(info.processes.at(process).name) + ":" + std::to_string(count);
  });
  return text + "}";
}

// The columns that the event has, without trailing blanks.
void print_what(const Event& event, const TraceInfo& info, const std::string& clock, std::ostream& out) {
  if (is_primitive(event.type)) {
    out << std::left << std::setw(16) << name_of(event.type) << std::right << what_happened_inside(event, info) << clock
        << '\n';
    return;
  }
  if (event.type == EventType::summary) {
    out << std::left << std::setw(16) << name_of(event.type) << std::right << what_was_summarised(event) << clock
        << '\n';
    return;
  }
  const std::string channel = channel_of(event);
  if (event.type == EventType::wait) {
    out << std::left << std::setw(33) << what_waited_for(event) << std::right
        << (event.peer.is_none() ? "" : "  " + short_name(info[event.peer].name)) << clock << '\n';
    return;
  }
  if (channel.empty() && event.peer.is_none()) {
    out << name_of(event.type) << clock << '\n';
    return;
  }
  out << std::left << std::setw(16) << name_of(event.type) << std::right << std::setw(8)
      << (event.length_bytes == 0 ? "" : std::to_string(event.length_bytes)) << std::setw(9) << channel
      << (event.peer.is_none() ? "" : "  " + short_name(info[event.peer].name)) << clock << '\n';
}

}  // namespace

void print_events(const EventList& list, std::ostream& out) {
  const TraceInfo& info = list.info;
  const int machine_width = widest(info.machines, 7), process_width = widest(info.processes, 7);
  const auto groups = groups_of(list);
  for (const Group& group : groups) {
    out << (&group == groups.data() ? "" : "\n") << "seconds by the clock of " << printable(info[group.reference].name)
        << ", from the first event\n";
    out << std::right << std::setw(14) << "time"
        << "  " << std::left << std::setw(machine_width) << "machine"
        << "  " << std::setw(process_width) << "process"
        << "  event           " << std::right << std::setw(8) << "bytes" << std::setw(9) << "channel"
        << "  with\n";
    EventClocks clocks;  // no message comes from another group
    for (const std::uint32_t at : group.events) {
      const Event& event = list.events[at];
      const VectorClock* clock = list.with_clocks ? &clocks.add(event) : nullptr;
      if (!list.is_wanted(event)) continue;
      out << std::right << std::setw(14) << fixed(seconds_since(group.begin, list.order.times[at]), kTimeDigits) << "  "
          << std::left << std::setw(machine_width) << short_name(info[event.machine].name) << "  "
          << std::setw(process_width) << short_name(info[event.process].name) << "  ";
      print_what(event, info, clock != nullptr ? clock_text(*clock, info) : "", out);
    }
  }
}

void print_events_json(const EventList& list, std::ostream& out) {
  const TraceInfo& info = list.info;
  out << '[';
  const char* before = "\n";
  for (const Group& group : groups_of(list)) {
    EventClocks clocks;
    for (const std::uint32_t at : group.events) {
      const Event& event = list.events[at];
      const VectorClock* clock = list.with_clocks ? &clocks.add(event) : nullptr;
      if (!list.is_wanted(event)) continue;
      Json line = {{"time_s", seconds_since(group.begin, list.order.times[at])},
                   {"by_clock_of", info[group.reference].name},
                   {"machine", info[event.machine].name},
                   {"local_time_ns", event.local_time.ns},
                   {"process", info[event.process].name},
                   {"event", name_of(event.type)},
                   {"length_bytes", event.type == EventType::summary ? 0 : event.length_bytes},
                   {"channel", event.channel.is_none() ? Json() : Json(event.channel.value)},
                   {"peer", event.peer.is_none() ? Json() : Json(info[event.peer].name)},
                   // By number: two processes may have the same name.
                   {"process_number", event.process.value},
                   {"peer_number", event.peer.is_none() ? Json() : Json(event.peer.value)},
                   {"cpu_ns", event.proc_time_ns}};
      if (!info[event.process].in_computation) line["in_computation"] = false;
      if (is_end_of_message(event.type)) {
        line["number"] = event.sequence;
        line["message"] = (event.flags & event_flags::kNoMessage) == 0;
        if ((event.flags & event_flags::kKernelMessage) != 0) line["of_kernel"] = true;
      }
      if (event.type == EventType::wait) {
        line["waited_s"] = static_cast<double>(event.sequence) * 1e-9;
        line["for"] = name_of(static_cast<WaitKind>(event.code));
      }
      if (event.type == EventType::summary) {
        line["quantity"] = name_of(static_cast<MachineQuantity>(event.code));
        line["value"] = event.sequence;
        line["covered_s"] = static_cast<double>(event.length_bytes) * 1e-3;
      }
      if (is_primitive(event.type)) {
        const PrimitiveEvent& row = info.primitive_events.at(event.code);
        line["action"] = row.action;
        line["object"] = row.object;
        line["function"] = row.function;
        if (event.type == EventType::value) line["value"] = number_of(event).as_json<Json>();
      }
      if (clock != nullptr) {
        Json counts = Json::object();
        clock->for_each([&](std::uint32_t process, std::uint32_t count) { counts[std::to_string(process)] = count; });
        line["clock"] = std::move(counts);
      }
      out << before << line.dump(-1, ' ', false, Json::error_handler_t::replace);
      before = ",\n";
    }
  }
  out << "\n]\n";
}

}  // namespace dpm::cli

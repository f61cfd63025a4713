#include "formats/dpm_json/dpm_json_events.hpp"

#include <fmt/format.h>
#include <simdjson.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "model/machine_quantity.hpp"
#include "model/wait_kind_name.hpp"
#include "text/json_mistake.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kTimeEndNs = std::int64_t{1} << 62;  // as of all events
constexpr std::array kWaitKinds = {WaitKind::process_end, WaitKind::thread_end, WaitKind::signal, WaitKind::futex};

bool is_possible(std::int64_t time_ns) { return -kTimeEndNs < time_ns && time_ns < kTimeEndNs; }

}  // namespace

struct DpmJsonEvents::Parser {
  simdjson::dom::parser json;
};

// The members of one event; what has another type than it should is not there.
struct DpmJsonEvents::Document {
  simdjson::dom::element object;

  template <typename T>
  std::optional<T> get(std::string_view name) const {
    T value{};
    if (object[name].get(value) != simdjson::SUCCESS) return std::nullopt;
    return value;
  }
  std::string_view text(std::string_view name) const { return get<std::string_view>(name).value_or(""); }
};

DpmJsonEvents::DpmJsonEvents(std::string machine) : parser_(std::make_unique<Parser>()), tables_(std::move(machine)) {}
DpmJsonEvents::~DpmJsonEvents() = default;

Result<void> DpmJsonEvents::read(std::string_view document) {
  simdjson::dom::element json;
  const auto wrong = parser_->json.parse(document.data(), document.size()).get(json);
  if (wrong != simdjson::SUCCESS) return Error{why_not_json(document)};
  if (json.is_object()) return add({json});
  simdjson::dom::array list;
  if (json.get(list) != simdjson::SUCCESS) return Error{"not an event, nor a list of events"};
  std::uint64_t number = 0;
  for (const simdjson::dom::element event : list) {
    ++number;
    if (auto added = add({event}); !added) return Error{fmt::format("event {}: {}", number, added.error().what)};
  }
  return {};
}

Result<void> DpmJsonEvents::add(const Document& json) {
  const std::string_view name = json.text("event");
  const auto type = event_type_from_name(name);
  if (!type) return Error{name.empty() ? "it has no 'event'" : fmt::format("no event is called '{}'", name)};
  Event event;
  event.type = *type;
  if (auto placed = place(json, event); !placed) return placed;
  Result<void> done;
  if (event.type == EventType::send || event.type == EventType::receive || event.type == EventType::message_queued)
    done = add_message(json, event);
  else if (event.type == EventType::wait)
    done = add_wait(json, event);
  else if (is_primitive(event.type))
    done = add_primitive(json, event);
  else if (event.type == EventType::summary)
    done = add_summary(json, event);
  else if (event.type == EventType::accept)
    event.code = ChannelId().value;
  if (done) events_.push_back(event);
  return done;
}

// Its process, machine, peer and times.
Result<void> DpmJsonEvents::place(const Document& json, Event& event) {
  const std::string_view name = json.text("process");
  if (name.empty()) return Error{"it has no 'process'"};
  const auto process = tables_.process(name, json.get<std::uint64_t>("process_number"));
  const auto machine = process ? tables_.machine(json.text("machine")) : Result<MachineId>(process.error());
  if (!machine) return machine.error();
  event.process = *process;
  event.machine = *machine;
  ProcessInfo& described = tables_.info().processes[process->value];
  if (described.machine.is_none()) described.machine = *machine;
  if (!json.get<bool>("in_computation").value_or(true)) described.in_computation = false;
  if (const std::string_view peer = json.text("peer"); !peer.empty()) {
    const auto other = tables_.process(peer, json.get<std::uint64_t>("peer_number"));
    if (!other) return other.error();
    event.peer = *other;
  }
  if (const auto channel = json.get<std::uint64_t>("channel")) event.channel = tables_.channel(*channel);
  const auto by_clock_ns = json.get<std::int64_t>("local_time_ns");
  const auto seconds = json.get<double>("time_s");
  if (!by_clock_ns && !seconds) return Error{"it has neither 'local_time_ns' nor 'time_s'"};
  if (!by_clock_ns && !(std::abs(*seconds) < 1e9)) return Error{fmt::format("'time_s' is {}", *seconds)};
  event.local_time.ns = by_clock_ns ? *by_clock_ns : std::llround(*seconds * 1e9);
  const auto cpu_ns = json.get<std::uint64_t>("cpu_ns");
  if (!is_possible(event.local_time.ns) || cpu_ns.value_or(0) >= static_cast<std::uint64_t>(kTimeEndNs))
    return Error{"its times are impossible"};
  event.proc_time_ns = cpu_ns.value_or(0);
  any_cpu_time_ |= cpu_ns.value_or(0) > 0;
  last_.resize(tables_.info().processes.size(), LocalTime{INT64_MIN});
  LocalTime& last = last_[event.process.value];
  if (event.local_time < last) return Error{fmt::format("the clock of '{}' runs backwards", name)};
  last = event.local_time;
  return {};
}

Result<void> DpmJsonEvents::add_message(const Document& json, Event& event) {
  const bool sends = event.type == EventType::send;
  event.length_bytes = static_cast<std::uint32_t>(
      std::min<std::uint64_t>(json.get<std::uint64_t>("length_bytes").value_or(0), UINT32_MAX));
  if (!json.get<bool>("message").value_or(true)) event.flags |= event_flags::kNoMessage;
  if (json.get<bool>("of_kernel").value_or(false)) event.flags |= event_flags::kKernelMessage;
  // The receiver owns the channel.
  if (!event.channel.is_none()) {
    ProcessId& owner = tables_.info().channels[event.channel.value].owner;
    if (owner.is_none()) owner = sends ? event.peer : event.process;
  }
  if (const auto number = json.get<std::uint64_t>("number")) {
    event.sequence = *number;
    return {};
  }
  const ProcessId sender = sends ? event.process : event.peer;
  event.sequence = numbers_[{sender, event.channel, event.type}]++;
  if (!sends) event.evidence = Evidence::inferred;
  any_inferred_ |= !sends;
  return {};
}

Result<void> DpmJsonEvents::add_wait(const Document& json, Event& event) {
  const double waited_s = json.get<double>("waited_s").value_or(0);
  if (!(waited_s >= 0 && waited_s < 1e9)) return Error{fmt::format("'waited_s' is {}", waited_s)};
  event.sequence = static_cast<std::uint64_t>(std::llround(waited_s * 1e9));
  const std::string_view waited_for = json.text("for");
  const auto kind =
      std::find_if(kWaitKinds.begin(), kWaitKinds.end(), [&](WaitKind known) { return name_of(known) == waited_for; });
  if (kind == kWaitKinds.end()) return Error{fmt::format("a WAIT is not for '{}'", waited_for)};
  event.code = static_cast<std::uint32_t>(*kind);
  return {};
}

Result<void> DpmJsonEvents::add_summary(const Document& json, Event& event) {
  const std::string_view name = json.text("quantity");
  const auto quantity = machine_quantity_from_name(name);
  if (!quantity) return Error{fmt::format("a SUMMARY is not of '{}'", name)};
  event.code = static_cast<std::uint32_t>(*quantity);
  event.sequence = json.get<std::uint64_t>("value").value_or(0);
  const double covered_s = json.get<double>("covered_s").value_or(0);
  if (!(covered_s >= 0 && covered_s < 4e6)) return Error{fmt::format("'covered_s' is {}", covered_s)};
  event.length_bytes = static_cast<std::uint32_t>(std::llround(covered_s * 1e3));
  return {};
}

Result<void> DpmJsonEvents::add_primitive(const Document& json, Event& event) {
  const auto row = tables_.primitive(
      {std::string(json.text("action")), std::string(json.text("object")), std::string(json.text("function"))});
  if (!row) return row.error();
  event.code = *row;
  event.sequence = static_cast<std::uint64_t>(json.get<std::int64_t>("value").value_or(0));
  return {};
}

}  // namespace dpm

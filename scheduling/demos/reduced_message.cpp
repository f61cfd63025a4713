#include "scheduling/demos/reduced_message.hpp"

#include <bit>
#include <string>
#include <type_traits>

#include "model/short_numbers.hpp"

namespace dpm {
namespace {

bool is_selected(EventType type) {
  switch (type) {
    case EventType::send:
    case EventType::receive_call:
    case EventType::receive:
    case EventType::message_queued:
    case EventType::create_process:
    case EventType::start_process:
    case EventType::stop_process:
    case EventType::destroy_process:
      return true;
    default:
      return false;
  }
}

class Writer {
 public:
  void number(std::uint64_t value) { put_short(bytes_, value); }
  template <typename Tag, typename Number>
  void id(Id<Tag, Number> id) {
    number(id.is_none() ? 0 : id.value + std::uint64_t{1});
  }
  void text(const std::string& text) {
    number(text.size());
    for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
  }
  std::vector<std::byte> take() { return std::move(bytes_); }

 private:
  std::vector<std::byte> bytes_;
};

// After a mistake, everything reads as 0, and is_good() is false.
class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : numbers_(bytes) {}

  std::uint64_t number() { return numbers_.next(); }
  template <typename Number>
  void number(Number& number_of_type) {
    number_of_type = numbers_.next_as<Number>();
  }
  template <typename Tag, typename Number>
  void id(Id<Tag, Number>& id) {
    const std::uint64_t value = number();
    if (value > Id<Tag, Number>::kNone) is_id_ = false;
    id = {static_cast<Number>(value - 1)};
  }
  std::string text() { return numbers_.text(); }
  std::uint64_t count() { return numbers_.count(); }
  bool is_good() const { return numbers_.is_well() && is_id_; }
  bool is_at_end() const { return numbers_.at_end(); }

 private:
  ShortNumbers numbers_;
  bool is_id_ = true;  // each that was read as one
};

void write(Writer& out, const Event& event) {
  out.number(static_cast<std::uint64_t>(event.type));
  out.id(event.process);
  out.id(event.peer);
  out.id(event.machine);
  out.id(event.channel);
  out.number(static_cast<std::uint64_t>(event.local_time.ns));
  out.number(event.proc_time_ns);
  out.number(event.sequence);
  out.number(event.length_bytes);
  out.number(event.code);
  out.number(event.flags);
}

bool read(Reader& in, Event& event) {
  const auto type = event_type_from_number(in.number());
  if (!type) return false;
  event.type = *type;
  in.id(event.process);
  in.id(event.peer);
  in.id(event.machine);
  in.id(event.channel);
  event.local_time.ns = static_cast<std::int64_t>(in.number());
  event.proc_time_ns = in.number();
  event.sequence = in.number();
  in.number(event.length_bytes);
  in.number(event.code);
  in.number(event.flags);
  return in.is_good();
}

}  // namespace

std::vector<std::byte> reduce(const ReducerInput& input) {
  Writer out;
  out.number(input.lost_events);
  out.number(input.machines.size());
  for (const MachineNow& machine : input.machines) {
    out.number(std::bit_cast<std::uint64_t>(machine.speed));
    out.number(machine.on ? 1 : 0);
  }
  out.number(input.info.processes.size());
  for (const ProcessInfo& process : input.info.processes) {
    out.text(process.name);
    out.text(process.program);
    out.id(process.machine);
    out.number(process.in_computation ? 1 : 0);
  }
  out.number(input.info.channel_sets.size());
  for (const auto& set : input.info.channel_sets) {
    out.number(set.size());
    for (const ChannelId channel : set) out.id(channel);
  }
  std::uint64_t selected = 0;
  for (const Event& event : input.events) selected += is_selected(event.type) ? 1 : 0;
  out.number(selected);
  for (const Event& event : input.events)
    if (is_selected(event.type)) write(out, event);
  return out.take();
}

Result<Reduced> read_reduced(std::span<const std::byte> body) {
  Reader in(body);
  Reduced reduced;
  reduced.lost_events = in.number();
  for (std::uint64_t left = in.count(); left > 0 && in.is_good(); --left) {
    MachineNow& machine = reduced.machines.emplace_back();
    machine.speed = std::bit_cast<double>(in.number());
    machine.on = in.number() != 0;
    if (!(machine.speed > 0)) return Error{"a filter's message has a machine without speed"};
  }
  for (std::uint64_t left = in.count(); left > 0 && in.is_good(); --left) {
    ProcessInfo& process = reduced.processes.emplace_back();
    process.name = in.text();
    process.program = in.text();
    in.id(process.machine);
    process.in_computation = in.number() != 0;
    if (process.machine.value >= reduced.machines.size()) return Error{"a filter's message has an unknown machine"};
  }
  for (std::uint64_t left = in.count(); left > 0 && in.is_good(); --left) {
    auto& set = reduced.channel_sets.emplace_back();
    for (std::uint64_t members = in.count(); members > 0 && in.is_good(); --members) in.id(set.emplace_back());
  }
  for (std::uint64_t left = in.count(); left > 0 && in.is_good(); --left) {
    Event& event = reduced.events.emplace_back();
    if (!read(in, event)) return Error{"a filter's message has an event that cannot be read"};
    const bool is_known = event.process.value < reduced.processes.size() &&
                          event.machine.value < reduced.machines.size() &&
                          (event.peer.is_none() || event.peer.value < reduced.processes.size());
    if (!is_known) return Error{"a filter's message has an event of an unknown process or machine"};
    if (event.type == EventType::receive_call && event.code >= reduced.channel_sets.size())
      return Error{"a filter's message has an event with an unknown set of channels"};
  }
  if (!in.is_good() || !in.is_at_end()) return Error{"a filter's message is too short or too long"};
  return reduced;
}

}  // namespace dpm

#include "trace/record_decoder.hpp"

#include <algorithm>

namespace dpm {
namespace {

std::uint64_t load_number(const std::byte* at, std::uint32_t length_bytes) {
  std::uint64_t value = 0;
  std::memcpy(&value, at, std::min<std::uint32_t>(length_bytes, sizeof value));
  return value;
}

std::uint64_t nanoseconds(std::uint64_t value, std::uint32_t length_bytes) {
  return length_bytes <= 4 ? value * 1'000'000 : value;
}

// All bits set: the meter did not measure it.
std::uint64_t measured_nanoseconds(std::uint64_t value, std::uint32_t length_bytes) {
  const std::uint64_t none = length_bytes >= 8 ? kNotMeasured : (std::uint64_t{1} << 8 * length_bytes) - 1;
  return value == none ? kNotMeasured : nanoseconds(value, length_bytes);
}

std::string in_base(std::uint64_t value, std::uint32_t base) {
  std::string digits;
  do {
    digits += "0123456789abcdef"[value % base];
    value /= base;
  } while (value != 0);
  std::reverse(digits.begin(), digits.end());
  return digits;
}

bool is_message(EventType type) {
  return type == EventType::send || type == EventType::receive || type == EventType::message_queued;
}

template <typename Number>
Number clamped(std::uint64_t value) {
  return static_cast<Number>(std::min<std::uint64_t>(value, std::numeric_limits<Number>::max()));
}

}  // namespace

ProcessId ForeignNames::process(std::uint64_t number, std::uint32_t base, MachineId machine,
                                bool unique_on_machine_only) {
  const std::uint16_t scope = unique_on_machine_only ? machine.value : MachineId::kNone;
  const auto [found, is_new] =
      processes_.try_emplace({number, scope}, ProcessId{static_cast<std::uint32_t>(info_->processes.size())});
  if (is_new) {
    std::string name = "process " + in_base(number, base);
    if (unique_on_machine_only) name += " on " + info_->machines.at(machine.value).name;
    info_->processes.push_back({name, "", unique_on_machine_only ? machine : MachineId{}, 0, true});
  }
  return found->second;
}

ChannelId ForeignNames::channel(std::uint64_t number, ProcessId receiver, MachineId machine) {
  const std::uint16_t scope = receiver.is_none() ? machine.value : MachineId::kNone;
  const auto [found, is_new] = channels_.try_emplace({number, receiver.value, scope},
                                                     ChannelId{static_cast<std::uint32_t>(info_->channels.size())});
  if (is_new) info_->channels.push_back({receiver, "channel " + std::to_string(number)});
  return found->second;
}

void ForeignNames::number(Event& event) {
  const ProcessId sender = event.type == EventType::send ? event.process : event.peer;
  event.sequence = sequences_[{event.type, sender.value, event.channel.value}]++;
}

RecordDecoder::RecordDecoder(const RecordLayout& layout, const RecordClass& record, bool carries_events)
    : type_(event_type_from_name(layout.name)) {
  if (type_) prototype_.type = *type_;
  if (type_ == EventType::accept) prototype_.code = ChannelId::kNone;  // its listener
  bool has_sequence = false;
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    const RecordField& field = layout.fields[i];
    const auto member = type_ ? member_named(*type_, field.name) : std::nullopt;
    // A discarded number is not replaced by counting: the trace's owner did not want it.
    if (member && *member == EventMember::sequence) has_sequence = true;
    if (!record.has(i)) continue;
    const auto offset = static_cast<std::uint32_t>(payload_bytes_);
    payload_bytes_ += field.length_bytes;
    if (!member) continue;
    if (carries_events && *member == EventMember::process) process_offset_ = offset;
    if (carries_events) {
      copy_.add(offset, place_of(*member).offset_bytes, field.length_bytes);
    } else {
      const bool unique_on_machine_only = same_name(field.name, "pid") || same_name(field.name, "newPid");
      foreign_.push_back({*member, offset, field.length_bytes, field.base, unique_on_machine_only});
    }
  }
  const bool counts_messages = !carries_events && type_ && is_message(*type_) && !has_sequence;
  if (counts_messages) prototype_.evidence = Evidence::inferred;
  // Sender and receiver must be known before the channel between them is.
  std::stable_partition(foreign_.begin(), foreign_.end(),
                        [](const ForeignField& field) { return field.member != EventMember::channel; });
}

void RecordDecoder::decode(const std::byte* payload, MachineId machine, ForeignNames& names, Event& event) const {
  event = prototype_;
  copy_(payload, reinterpret_cast<std::byte*>(&event));
  event.type = prototype_.type;  // the content of class and stream was checked, that of the record was not
  event.machine = machine;
  if (!foreign_.empty()) decode_foreign(payload, machine, names, event);
}

void RecordDecoder::decode_foreign(const std::byte* payload, MachineId machine, ForeignNames& names,
                                   Event& event) const {
  for (const ForeignField& field : foreign_) {
    const std::uint64_t value = load_number(payload + field.offset_bytes, field.length_bytes);
    switch (field.member) {
      case EventMember::local_time:
        event.local_time.ns = static_cast<std::int64_t>(nanoseconds(value, field.length_bytes));
        break;
      case EventMember::proc_time:
        event.proc_time_ns = nanoseconds(value, field.length_bytes);
        break;
      case EventMember::ready_time:
        event.ready_time_ns = measured_nanoseconds(value, field.length_bytes);
        break;
      case EventMember::disk_time:
        event.disk_time_ns = measured_nanoseconds(value, field.length_bytes);
        break;
      case EventMember::pc:
        event.pc = value;
        break;
      case EventMember::sequence:
        event.sequence = value;
        break;
      case EventMember::length:
        event.length_bytes = clamped<std::uint32_t>(value);
        break;
      case EventMember::code:
        event.code = clamped<std::uint32_t>(value);
        if (event.type == EventType::receive_call) event.code = kAnyChannel.value;
        if (event.type == EventType::accept) event.code = names.channel(value, ProcessId{}, machine).value;
        break;
      case EventMember::process:
        event.process = names.process(value, field.base, machine, field.unique_on_machine_only);
        break;
      case EventMember::peer:
        event.peer = names.process(value, field.base, machine, field.unique_on_machine_only);
        break;
      case EventMember::channel: {
        const bool receives = event.type == EventType::receive || event.type == EventType::message_queued;
        event.channel = names.channel(value, receives ? event.process : event.peer, machine);
        break;
      }
      case EventMember::load:
        event.load = clamped<std::uint16_t>(value);
        break;
      case EventMember::machine:         // the stream gives it, in our numbering
      case EventMember::passed_channel:  // a number in a link table, which names no channel
      case EventMember::type:
      case EventMember::evidence:
      case EventMember::flags:
        break;
    }
  }
}

}  // namespace dpm

// Turns the records of a stream back into Events.
//
// Records that carry Events unchanged (carries_events()) are copied. Foreign records, which a description file
// describes, are decoded by the names of their fields; their process and channel numbers are interned, because an
// Event's ids are dense. Members that foreign records lack have no id or are 0, except:
//   - times of four bytes or fewer are milliseconds, as in the metering report; longer ones are nanoseconds;
//   - a number called pid is unique on its machine, one called task in the whole system;
//   - a message without a sequence number gets one by counting: links are FIFO, so the n-th RECEIVE from a sender over
//     a channel takes its n-th SEND. Such events are marked Evidence::inferred.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "model/event.hpp"
#include "model/trace_info.hpp"
#include "trace/event_fields.hpp"
#include "trace/packed_copy.hpp"
#include "trace/record_class.hpp"

namespace dpm {

// Gives foreign numbers dense ids, and the ids names, in `info`.
class ForeignNames {
 public:
  explicit ForeignNames(TraceInfo& info) : info_(&info) {}

  ProcessId process(std::uint64_t number, std::uint32_t base, MachineId machine, bool unique_on_machine_only);
  ChannelId channel(std::uint64_t number, ProcessId receiver, MachineId machine);

  // Numbers a message that decode() has marked as inferred; to be called in the order its process performed the events.
  void number(Event& event);
  void restart_sequences() { sequences_.clear(); }

 private:
  TraceInfo* info_;
  std::map<std::pair<std::uint64_t, std::uint16_t>, ProcessId> processes_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::uint16_t>, ChannelId> channels_;
  std::map<std::tuple<EventType, std::uint32_t, std::uint32_t>, std::uint64_t> sequences_;
};

class RecordDecoder {
 public:
  RecordDecoder(const RecordLayout& layout, const RecordClass& record, bool carries_events);

  std::size_t payload_bytes() const { return payload_bytes_; }
  bool is_event() const { return type_.has_value(); }  // false: such a record has no equivalent among Events
  // Of a record that carries an Event unchanged: where in the payload its process is.
  const std::optional<std::uint32_t>& process_offset() const { return process_offset_; }

  // `payload` has payload_bytes(). `names` is used for foreign records only.
  void decode(const std::byte* payload, MachineId machine, ForeignNames& names, Event& event) const;

 private:
  struct ForeignField {
    EventMember member;
    std::uint32_t offset_bytes;
    std::uint32_t length_bytes;
    std::uint32_t base;
    bool unique_on_machine_only;
  };

  void decode_foreign(const std::byte* payload, MachineId machine, ForeignNames& names, Event& event) const;

  std::optional<EventType> type_;
  std::optional<std::uint32_t> process_offset_;
  Event prototype_;
  PackedCopy copy_;
  std::vector<ForeignField> foreign_;
  std::size_t payload_bytes_ = 0;
};

}  // namespace dpm

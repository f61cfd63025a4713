// Merges the messages of many meters into one stream (trace/meter_stream.hpp): the collector's end of the meter protocol
// (frames/meter_frames.hpp), without I/O.
//
// Ids of the meters become ids of their union (trace/merge/trace_union.hpp). A meter keeps its key on every connection, so that
// no event is taken twice. A meter may forget an event when it has been written to the filter's standard input; passed()
// tells the stream how much was written.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/transport/frames/meter_frames.hpp"
#include "control/transport/frames/meter_scope.hpp"
#include "trace/delivery_report.hpp"
#include "trace/merge/trace_union.hpp"
#include "trace/meter_names.hpp"

namespace dpm {

class MergedStream {
 public:
  struct Registered {
    std::uint32_t meter = 0;
    wire::Resume resume;
  };
  // Its key is for `proved`. An error if it is, or says that it is, a meter of something else.
  Result<Registered> register_meter(const wire::Hello& hello, const MeterScope& proved);

  // Names, Events or Over of a meter. An error if the meter breaks the protocol.
  Result<void> take(std::uint32_t meter, wire::MeterFrame frame);
  // What has been passed on, to be confirmed to the meter.
  wire::Ack ack(std::uint32_t meter) const { return meters_.at(meter)->passed; }
  // It announced events of another machine. They and all later ones are refused.
  bool has_other_machine(std::uint32_t meter) const { return meters_.at(meter)->has_other_machine; }
  bool has_ended(std::uint32_t meter) const { return meters_.at(meter)->account.has_value(); }

  // Ends the stream.
  void finish();

  // What is to be written to the filter; passed() removes what was written.
  std::string_view waiting() const { return std::string_view(stream_).substr(written_); }
  void passed(std::size_t bytes);

  // From now on events are counted as lost.
  void filter_gone(const std::string& why);
  const std::string& why_gone() const { return gone_; }

  std::vector<MeterDelivery> deliveries() const;
  // Meters that have ended and of which nothing more will be passed on.
  std::size_t finished_meters() const;

 private:
  struct Meter {
    wire::MeterKey key;
    MeterIdentity identity;
    std::uint64_t first_event = 0;        // earlier ones are in the log of another collector
    TableSizes known;                     // sent by the meter so far
    std::optional<std::size_t> input;     // of the union
    std::uint64_t names = 0, events = 0;  // received so far
    std::uint64_t understood = 0;         // events in the stream
    std::optional<MeterAccount> account;
    wire::Ack passed;
    std::uint64_t delivered = 0;  // of those understood
    bool has_other_machine = false;
  };
  // Up to this position the stream holds data of this meter.
  struct Mark {
    std::uint64_t position = 0;
    std::uint32_t meter = 0;
    wire::Ack passed;
    std::uint64_t delivered = 0;
    std::uint64_t last_events = 0;  // events at the end of the data, all counted in `passed` and `delivered`
  };

  Result<void> take_events(std::uint32_t number, Meter& meter, const wire::Events& events);
  void take_over(std::uint32_t number, Meter& meter, MeterAccount account);
  Result<void> take_names(Meter& meter, std::string_view text);
  void append_new_names();
  void mark(std::uint32_t number, const Meter& meter, std::uint64_t last_events = 0);
  void pass_part_of_frame();
  std::vector<Loss> losses_of(const Meter& meter) const;

  std::vector<std::unique_ptr<Meter>> meters_;
  std::map<wire::MeterKey, std::uint32_t> by_key_;
  TraceUnion union_{TraceUnion::Tables::passed_on};
  TableSizes told_;
  std::vector<Event> batch_, merged_;
  std::string stream_;
  std::size_t written_ = 0;     // of stream_
  std::uint64_t position_ = 0;  // how much of the whole stream was written
  std::deque<Mark> marks_;
  std::string gone_;
};

}  // namespace dpm

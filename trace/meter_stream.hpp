// The stream of meter messages that a filter reads from its standard input: events, what their numbers stand for, and
// what became of each meter. docs/trace-format.md describes it for authors of other filters.
//
// Every message begins with the header of filter/descriptions/dpm.desc, its size first; a type below 240 is an event's
// (trace/meter_message.hpp), the others carry JSON after the header:
//
//   NAMES     what was added to the tables, before the first event that uses it (meter_names.hpp)
//   METER     a meter has begun to send: its number in this stream, its machine, the process it meters, its job
//   METEREND  the last of that meter: how many events it saw, how many of them were delivered, why the others were not
//   END       the stream was ended on purpose; a stream without it was cut off
//
// Neither writer nor reader does any I/O, and the reader trusts nothing: impossible input is counted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/event_source.hpp"
#include "model/trace_growth.hpp"
#include "trace/meter_message.hpp"
#include "trace/number_set.hpp"

namespace dpm {

enum class StreamMessage : std::uint8_t { names = 240, meter = 241, meter_end = 242, end = 243 };
inline constexpr std::uint8_t kStreamMessageFirst = 240;
inline constexpr std::size_t kStreamHeaderBytes = 40;  // of dpm.desc
inline constexpr std::size_t kStreamMessageBytesMax = 64 * 1024;

// A meter's description of itself.
struct MeterIdentity {
  std::string machine;
  std::uint32_t pid = 0;  // of the first process it meters
  std::string job;
  std::string name;  // of the program
};

// "the meter of process 17 (A) on red".
std::string meter_name(const MeterIdentity& identity);

// What became of the events of one meter: seen = delivered + losses, or its report is wrong.
struct MeterAccount {
  std::uint64_t seen = 0;
  std::uint64_t delivered = 0;  // passed on in this stream
  std::vector<Loss> losses;
  std::vector<std::string> warnings;
};

// ---- writing: each appends one message

void append_event(std::string& stream, const Event& event);
void append_names(std::string& stream, std::string_view names);
void append_meter(std::string& stream, std::uint32_t meter, const MeterIdentity& identity);
// Long lists and texts are shortened, numbers never.
void append_meter_end(std::string& stream, std::uint32_t meter, const MeterAccount& account);
void append_stream_end(std::string& stream);

// The same JSON, for other transports.
std::string to_json(const MeterAccount& account);
Result<MeterAccount> meter_account_from_json(std::string_view text);

// ---- reading

// Turns the bytes, cut anywhere, into what an EventSource pushes: `sink` gets only events whose ids are in the tables.
// The loss report has what meters lost, what could not be decoded and what a stream that was cut off may have lost.
//
// With `names_to` the tables go there, and the reader keeps only machines and meters that have not ended.
class MeterStreamReader {
 public:
  explicit MeterStreamReader(EventSink& sink, GrowthSink* names_to = nullptr) : sink_(&sink), names_to_(names_to) {}

  void feed(std::span<const std::byte> bytes);
  // Call once, last.
  void end();

  // Every meter that began has reported its end, and no message is cut: then report() is what end() would return.
  bool is_at_rest() const;
  LossReport report() const;

  bool is_stopped() const { return !stop_reason_.empty(); }  // further bytes are only counted
  bool is_unfit() const;                                     // it holds bytes, and no message that is one: after end()
  std::string why_lost() const;                              // the first reason for which an event was
  bool has_begun() const { return begun_; }                  // `sink` has it
  const TraceInfo& info() const { return info_; }

 private:
  std::size_t take_messages(std::span<const std::byte> bytes);
  void take_message(std::uint8_t type, std::span<const std::byte> message);
  void take_event(std::span<const std::byte> message);
  void take_text(StreamMessage type, std::string_view text);
  void take_meter(std::string_view text);
  void take_meter_end(std::string_view text);
  Result<void> take_tables(std::string_view text);
  void begin();
  void pass_events();
  void lose(const std::string& reason, std::uint64_t events = 1);
  void count_open_meters(LossReport& report) const;

  EventSink* sink_;
  GrowthSink* names_to_;
  TraceInfo info_;
  TableSizes known_;                             // that the stream has sent
  std::map<std::uint32_t, MeterIdentity> open_;  // meters that have not ended
  NumberSet ended_meters_;
  std::vector<std::byte> pending_;  // the beginning of a message whose end has not come yet
  std::vector<Event> batch_;
  bool begun_ = false, ended_ = false, understood_ = false;
  std::uint64_t passed_ = 0, consumed_bytes_ = 0, unread_bytes_ = 0, texts_damaged_ = 0;
  std::uint64_t arrived_ = 0, delivered_ = 0;  // events here, and those that ended meters report
  std::string stop_reason_, damage_;
  std::map<std::string, std::uint64_t> lost_;  // by reason
  std::vector<std::string> warnings_;
};

}  // namespace dpm

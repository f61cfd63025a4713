// Reads a trace directory back into Events.
//
// Nothing in the directory is trusted. A damaged or truncated stream costs only what is damaged; what is missing is
// counted, with the reason. A trace whose recorder was killed or is still recording (state "recording") is read as far
// as it was written, and names that were not yet written are replaced ("process 7"). A directory without a readable
// trace.json is refused, unless it is the output directory of a run, which holds its trace as "trace".
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "model/event_source.hpp"
#include "trace/packet_index.hpp"
#include "trace/record_class.hpp"

namespace dpm {

// A field that rules discarded: it reads as no id or 0. A field that the source does not measure is not one: no rule names it.
struct MissingField {
  std::string layout;  // "SEND"
  std::string field;   // "procTime"
  std::string filter;

  friend bool operator==(const MissingField&, const MissingField&) = default;
};

// The directory of the trace that `path` names: `path` itself, or the trace inside an output directory.
std::string trace_directory(const std::string& path);

// The same, if there is a trace; the error says what is missing.
Result<std::string> find_trace(const std::string& path);

// From the first instant to the last, both included.
struct TimeSpan {
  LocalTime from{INT64_MIN}, to{INT64_MAX};
};

class TraceReader {
 public:
  using Deliver = std::function<void(std::span<const Event>)>;

  static Result<TraceReader> open(const std::string& directory);
  TraceReader(TraceReader&&) noexcept;
  TraceReader& operator=(TraceReader&&) noexcept;
  ~TraceReader();

  // Describes every id that read() delivers. A process has no machine if neither trace.json nor an event of its own
  // gives one. One that had begun before a trace with a window does is `acquired`: its beginning is not known.
  const TraceInfo& info() const;
  const TraceDescription& description() const;
  bool is_finished() const;  // false: the recorder was killed, or was recording when the trace was opened
  const std::vector<MissingField>& missing_fields() const;
  // The recorder is removing what is old: this reader has what was there when it was opened, and the next one less.
  bool is_held_open() const;

  // Delivers the events in batches, those of one process in the order it performed them, and returns what is missing:
  // `seen` = delivered + lost() always. Events that the rules filtered away, or --window removed again, are not losses;
  // ledger() counts them. May be called again.
  LossReport read(const Deliver& deliver);

  // ---- in parts
  // False: it has damage, gaps or records that only a reading of the whole can put in order. Then the other functions of
  // this section must not be called.
  bool can_be_read_in_parts() const;
  // The index, which is made and written if the trace has none: that reads all packets. Where the account may not write,
  // it is made each time.
  Result<PacketIndex> index() const;
  MachineId machine_of_stream(const std::string& file) const;
  // Which records of the trace: those of some processes, in a stretch of time by their machine's clock; empty: all.
  struct Part {
    std::function<bool(ProcessId)> has;
    std::function<TimeSpan(MachineId)> times_of = {};
  };
  // Delivers the events of a part, from the packets that have any. Nothing if a packet is not what the index says.
  std::optional<std::uint64_t> read_part(const PacketIndex& index, const Part& part, const Deliver& deliver);
  // As read() returns it of a trace from which this number of events was delivered; sets ledger().
  LossReport report_of(std::uint64_t delivered);

  // seen = kept + filtered + lost for the whole way from the meters to the last read(), damage to the directory
  // included.
  const Ledger& ledger() const;

 private:
  struct State;
  explicit TraceReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm

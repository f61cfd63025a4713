// Reads a trace directory back into Events.
//
// Nothing in the directory is trusted. A damaged or truncated stream costs only what is damaged; what is missing is
// counted, with the reason. A trace whose recorder was killed or is still recording (state "recording") is read as far
// as it was written, and names that were not yet written are replaced ("process 7"). A directory without a readable
// trace.json is refused, unless it is the output directory of a run, which holds its trace as "trace".
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "model/event_source.hpp"
#include "trace/record_class.hpp"

namespace dpm {

// A field that rules discarded: it reads as no id or 0.
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

  // seen = kept + filtered + lost for the whole way from the meters to the last read(), damage to the directory
  // included.
  const Ledger& ledger() const;

 private:
  struct State;
  explicit TraceReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace dpm

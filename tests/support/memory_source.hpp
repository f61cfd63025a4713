// A source that pushes events given as a list, and a sink that keeps what it receives: the two ends of every test that
// needs a stream of events and no backend.
#pragma once

#include <memory>
#include <vector>

#include "model/event_source.hpp"

namespace dpm {

// What a run of a source delivers.
struct Recording {
  TraceInfo info;
  std::vector<Event> events;
  LossReport losses;
};

// Pushes a recording in batches of at most `batch_events`. Describes everything before the first batch.
class MemorySource : public EventSource {
 public:
  explicit MemorySource(Recording recording, std::size_t batch_events = 64)
      : recording_(std::move(recording)), batch_events_(batch_events) {}

  Result<void> run(EventSink& sink) override;

 private:
  Recording recording_;
  std::size_t batch_events_;
};

class RecordingSink : public EventSink {
 public:
  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  const Recording& recording() const { return recording_; }

 private:
  const TraceInfo* info_ = nullptr;
  Recording recording_;
};

// Everything `source` delivers.
Result<Recording> record(EventSource& source);

// Two processes on a machine each exchange `messages` requests and replies, every event metered and no event lost:
// client and server of an invented computation, with the same numbers every time.
Recording client_and_server(std::uint32_t messages);

// A recording as a meter of live programs would have made it: every channel is a byte stream, a message is known by the
// offset of its first byte, and the other end is not known. Each channel has one sender.
Recording told_in_bytes(Recording recording);

// The same delivered in another order: events of one process keep theirs, nothing else does. A source may do that,
// because nothing is promised between processes.
Recording reordered_between_processes(const Recording& recording, std::uint64_t seed);

}  // namespace dpm

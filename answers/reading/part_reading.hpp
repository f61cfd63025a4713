// A part of a trace: some processes, or a stretch of time. Only the packets that have any of it are read (trace/packet_index.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "answers/reading/trace_input.hpp"
#include "answers/reading/trace_reading.hpp"

namespace dpm::cli {

// Which part.
struct TracePart {
  std::optional<double> from_s, to_s;  // since the beginning of each machine, by its clock
  std::vector<std::string> processes;  // empty: all
  std::vector<LocalTime> begins;       // by machine; empty: its first event

  bool is_all() const { return !from_s && !to_s && processes.empty(); }
};

// The ledger says how many events the part has, and that it is one. The times that an event counts since its process began (CPU, run
// queue, disk) count since the first event of the process in the part. Refuses names that the trace does not have, and traces that
// cannot be read in parts.
class PartReading : public TraceReading {
 public:
  explicit PartReading(const TracePart& part) : part_(part) {}
  Result<TraceInput> read(const std::string& path, const std::vector<EventSink*>& sinks) override;

 private:
  const TracePart& part_;
};

}  // namespace dpm::cli

// A part of a trace: some processes, or a stretch of time. Only the packets that have any of it are read (trace/packet_index.hpp).
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/input/trace_reading.hpp"
#include "cli/options.hpp"

namespace dpm::cli {

// --from, --to and --process.
class PartOptions {
 public:
  void describe(Options& options);
  bool is_given() const { return from_s_ || to_s_ || !processes_.empty(); }

  // Seconds since the first event of each machine, by its clock.
  std::optional<double> from_s() const { return from_s_; }
  std::optional<double> to_s() const { return to_s_; }
  const std::vector<std::string>& processes() const { return processes_; }

 private:
  std::optional<double> from_s_, to_s_;
  std::vector<std::string> processes_;
};

// The ledger says how many events the part has, and that it is one. Refuses names that the trace does not have, and traces
// that cannot be read in parts.
class PartReading : public TraceReading {
 public:
  explicit PartReading(const PartOptions& options) : options_(options) {}
  Result<TraceInput> read(const std::string& path, const std::vector<EventSink*>& sinks) override;

 private:
  const PartOptions& options_;
};

}  // namespace dpm::cli

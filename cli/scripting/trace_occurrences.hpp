// The primitive events of a script in a trace: POINTs and VALUEs, and the events of the meter.
//
// The threads of a process are one process here, as they are for S3: what one of them did happened before what another does
// later. The two channels of a connection are one connection.
#pragma once

#include <functional>
#include <unordered_map>
#include <vector>

#include "analysis/vector_clocks/event_clocks.hpp"
#include "filter/scripts/event_evaluator.hpp"
#include "model/trace_info.hpp"

namespace dpm::cli {

class TraceOccurrences {
 public:
  TraceOccurrences(const EventScript& script, const TraceInfo& info);

  // For each primitive event of the script that it is.
  using Visit = std::function<void(const PrimitiveOccurrence&, const VectorClock&)>;
  // The next event in causal order, at this time.
  void add(const Event& event, std::int64_t time_ns, const Visit& visit);
  // Of a process after its last event.
  Knowledge knowledge_of(std::uint32_t process) { return clocks_.knowledge_of(ProcessId{process}); }

 private:
  void learn_connection(const Event& event);
  bool is_of(const EventDefinition& definition, const Event& event) const;

  const EventScript& script_;
  const TraceInfo& info_;
  std::vector<std::uint32_t> process_of_;  // by row: its group
  std::vector<std::uint32_t> count_of_;    // by row: it is the count-th of its program
  std::vector<std::string> program_of_;    // by row, without folders
  // What it is called: a program may be started by a link of another name.
  std::vector<std::string> called_;
  std::vector<std::uint32_t> called_count_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> events_;  // by type and primitive event
  std::unordered_map<std::uint32_t, std::uint32_t> connection_of_;      // by channel
  EventClocks clocks_;
};

}  // namespace dpm::cli

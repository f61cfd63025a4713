// Writes the primitive events that a script found to a trace: a process for each thread, an event for each record.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>

#include "cli/scripting/script_watch.hpp"
#include "filter/event_filter.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {

class ScriptTrace {
 public:
  // Refuses a directory that exists.
  static Result<std::unique_ptr<ScriptTrace>> create(const std::string& directory, const std::string& scenario);

  void add(std::span<const Occurrence> occurrences, const ScriptWatch& watch);
  // The ledger that the trace has: seen = kept + lost.
  Result<Ledger> finish(const ScriptWatch& watch);

 private:
  ScriptTrace(std::unique_ptr<TraceWriter> writer, const std::string& scenario);
  ProcessId process_of(const Occurrence& occurrence, const ScriptWatch& watch);
  std::uint32_t primitive_of(const EventDefinition& event);

  TraceInfo info_;
  std::unique_ptr<TraceWriter> writer_;
  EventFilter filter_;
  std::map<std::pair<std::size_t, std::uint32_t>, ProcessId> threads_;  // by program and thread
  std::map<std::size_t, ProcessId> first_threads_;                      // by program
  std::map<PrimitiveEvent, std::uint32_t> primitive_events_;
  std::uint64_t kept_ = 0;
};

}  // namespace dpm::cli

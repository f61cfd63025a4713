// The names of what lives, or has ended within the window: what a recorder with a window remembers of its names journal, so
// that it can write the journal again without the rest. Its memory is in proportion to that. No I/O.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/trace_growth.hpp"

namespace dpm {

class NamesInWindow {
 public:
  // `known`: what trace.json describes, which is never forgotten.
  explicit NamesInWindow(const TraceInfo& known);

  // Every growth must be passed, in order.
  void add(const TraceGrowth& growth, std::int64_t now_ns);

  // Forgets what ended before this instant.
  void forget_ended_before(std::int64_t instant_ns);

  // The journal that describes what is left, and says which ids it skips.
  std::string journal() const;

 private:
  ProcessInfo& row(ProcessId id);
  ChannelInfo& row(ChannelId id);
  void forget_empty_sets();

  const TraceInfo known_;
  const TableSizes first_;  // of known_
  TableSizes sizes_;
  std::map<std::uint32_t, ProcessInfo> processes_;  // beyond known_, or changed
  std::map<std::uint32_t, ChannelInfo> channels_;
  std::map<std::uint32_t, std::vector<ChannelId>> sets_;      // of those in known_: what was added
  std::map<std::uint32_t, std::vector<CodeModule>> modules_;  // by process
  std::map<std::uint32_t, std::vector<WaitCause>> causes_;    // likewise
  std::vector<PrimitiveEvent> primitive_events_;              // all: they have no process, and are few
  std::deque<std::pair<std::int64_t, ProcessId>> ended_;      // when, in that order
  std::deque<std::pair<std::int64_t, ChannelId>> closed_;
};

}  // namespace dpm

// What the ids of a trace mean in a reader's tables. A recorder with a window forgets the names of what has ended long ago,
// and says which ids it skips; those of everything else stay. A reader's tables have no rows for what was skipped, so that
// they are as long as what is described: an id beyond a gap moves down by the gap.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "model/event.hpp"
#include "model/trace_growth.hpp"

namespace dpm {

// Of one table.
class IdGaps {
 public:
  // The ids [first, end) have no row. Later gaps have larger ids.
  void add(std::uint64_t first, std::uint64_t end);
  // None: it was skipped.
  std::optional<std::uint32_t> row_of(std::uint32_t id) const;
  std::uint64_t skipped() const { return gaps_.empty() ? 0 : gaps_.back().skipped; }

 private:
  struct Gap {
    std::uint64_t first, end;
    std::uint64_t skipped;  // ids, in this gap and those before
  };
  std::vector<Gap> gaps_;
};

class NameIds {
 public:
  // The tables' sizes for whatever assigns ids: rows and gaps.
  TableSizes known;
  IdGaps processes, channels, channel_sets;

  bool has_gaps() const { return processes.skipped() + channels.skipped() + channel_sets.skipped() > 0; }
  // What was skipped becomes none, and a set of channels that was skipped any channel.
  void to_rows(Event& event) const;
  // For tables with these sizes. What is told of skipped rows is left out.
  void to_rows(TraceGrowth& growth) const;

 private:
  ProcessId row(ProcessId id) const;
  ChannelId row(ChannelId id) const;
  void to_rows(std::vector<ChannelId>& set) const;
};

}  // namespace dpm

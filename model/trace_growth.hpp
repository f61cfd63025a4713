// What a source has learnt since its last report: rows added to the tables of a TraceInfo, in the order in which their
// ids are assigned, and what has become known of earlier rows.
//
// A source that runs for a long time, in which processes and connections come and go, can pass these to a GrowthSink
// instead of keeping tables: then its memory is in proportion to what is alive. Its TraceInfo then describes machines,
// and what was there when it began.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

// How many rows the tables have: the next id of each. It is all that is needed to assign and to check ids.
struct TableSizes {
  std::size_t machines = 0, processes = 0, channels = 0;
  std::size_t channel_sets = 1;  // set 0 is "any channel"
  std::size_t modules = 0, wait_causes = 0, primitive_events = 0;

  static TableSizes of(const TraceInfo& info);
  friend bool operator==(const TableSizes&, const TableSizes&) = default;
};

struct TraceGrowth {
  struct Renamed {  // the process now runs another program
    ProcessId process;
    std::string name, program;
  };
  struct Owned {  // the receiver of what is sent over the channel
    ChannelId channel;
    ProcessId owner;
  };
  struct End {  // what is known now of an end of the channel
    ChannelId channel;
    bool sending = false;
    ChannelEnd end;
  };
  template <typename Id, typename Entry>
  struct Again {  // the row is described as a whole once more
    Id id;
    Entry entry;
  };
  struct MoreOfSet {  // channels that are added to the set
    std::uint32_t set = 0;
    std::vector<ChannelId> channels;
  };

  std::string source, scenario;                // empty: as before
  std::optional<SourceProperties> properties;  // none: as before
  std::vector<MachineInfo> machines;
  std::vector<ProcessInfo> processes;
  std::vector<ChannelInfo> channels;
  std::vector<std::vector<ChannelId>> channel_sets;
  std::vector<CodeModule> modules;
  std::vector<WaitCause> wait_causes;
  std::vector<PrimitiveEvent> primitive_events;
  std::vector<Again<MachineId, MachineInfo>> machines_again;
  std::vector<Again<ProcessId, ProcessInfo>> processes_again;
  std::vector<Again<ChannelId, ChannelInfo>> channels_again;
  std::vector<MoreOfSet> more_of_sets;
  std::vector<Renamed> renamed;
  std::vector<Owned> owned;
  std::vector<End> ends;
  // Nothing more is learnt of these: the source has forgotten them. No table changes.
  std::vector<ProcessId> ended;
  std::vector<ChannelId> closed;

  // What a reader must still be told to know everything that `info` has and `told` does not count.
  static TraceGrowth since(const TableSizes& told, const TraceInfo& info);

  bool empty() const;
  void add_to(TraceInfo& info) const;
  void add_to(TableSizes& sizes) const;
  // Source, scenario and machines, which stay few; they leave this growth.
  TraceGrowth take_header();
};

class GrowthSink {
 public:
  virtual ~GrowthSink() = default;

  // Passes every addition once, in order, before the first event that uses it, on the thread that delivers the events.
  virtual void on_growth(const TraceGrowth& growth) = 0;
};

}  // namespace dpm

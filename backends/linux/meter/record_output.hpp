// What the meter hands on: finished events, and what the numbers in them stand for.
//
// The meter gives out ids while calls wait; the tables of the TraceInfo are filled later, by the thread that feeds the
// sink, so that no call waits for it and no table is read while it grows.
#pragma once

#include <string>
#include <vector>

#include "model/event.hpp"
#include "model/trace_info.hpp"

namespace dpm {

// Additions to the tables of a TraceInfo, in the order in which their ids were given out, and what became known of
// earlier ones.
struct Descriptions {
  struct Renamed {  // the process runs another program now
    ProcessId process;
    std::string name, program;
  };
  struct Owned {  // who receives what is sent over the channel
    ChannelId channel;
    ProcessId owner;
  };
  struct End {  // what is known now of an end of the channel
    ChannelId channel;
    bool sending = false;
    ChannelEnd end;
  };

  std::vector<ProcessInfo> processes;
  std::vector<ChannelInfo> channels;
  std::vector<ChannelId> channel_sets;  // of one channel each
  std::vector<CodeModule> modules;
  std::vector<Renamed> renamed;
  std::vector<Owned> owned;
  std::vector<End> ends;

  bool empty() const;
  void add_to(TraceInfo& info) const;
};

struct RecordBatch {
  Descriptions descriptions;
  std::vector<Event> events;

  bool empty() const { return events.empty() && descriptions.empty(); }
};

}  // namespace dpm

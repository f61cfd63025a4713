// What a source has learnt since it last told: rows added to the tables of a TraceInfo, in the order in which their ids
// are given out, and what has become known of earlier rows.
//
// A source that runs for long, in which processes and connections come and go, can hand these to a GrowthSink instead of
// keeping tables: what it needs stays in proportion to what is alive. Its TraceInfo then stays as it was when it began.
#pragma once

#include <string>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

struct TraceGrowth {
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

class GrowthSink {
 public:
  virtual ~GrowthSink() = default;

  // Every addition once, in order, before the first event that uses it, and by the thread that delivers the events.
  virtual void on_growth(const TraceGrowth& growth) = 0;
};

}  // namespace dpm

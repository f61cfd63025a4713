// The tables of a trace while it is simulated. Created processes, channels and sets of channels get their ids when a
// metered event first names them, so nothing else appears in a table: a scenario may have a million possible links.
#pragma once

#include <deque>
#include <map>
#include <vector>

#include "backends/sim/process.hpp"
#include "model/trace_info.hpp"

namespace dpm::sim {

class Names {
 public:
  explicit Names(TraceInfo initial) : info_(std::move(initial)) {}

  const TraceInfo& info() const { return info_; }

  ProcessId id_of(Process& process);
  ChannelId id_of(Channel& channel);
  ChannelSetId set_of(std::span<Channel* const> channels);
  // Of a channel that is not a link.
  ChannelId add_channel(ChannelInfo described);
  ChannelSetId set_of(ChannelId channel);

  // SEND, RECEIVE or MESSAGEQUEUED of this message, as its sender or its receiver sees it.
  Event event_of(EventType type, const Packet& message);

  void add(WaitCause cause) { info_.wait_causes.push_back(std::move(cause)); }

  // Null for a process that is not named.
  Process* process(ProcessId id) const;
  // For the processes that initial_trace_info() has named.
  void already_named(Process& process, ProcessId id);

 private:
  TraceInfo info_;
  std::vector<Process*> processes_;
  std::map<std::vector<ChannelId>, ChannelSetId> sets_;
};

// "a->b", "replies to a", "requests to switchboard" or nothing.
std::string name_of(const Channel& channel);

}  // namespace dpm::sim

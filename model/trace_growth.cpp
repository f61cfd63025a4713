#include "model/trace_growth.hpp"

namespace dpm {

bool TraceGrowth::empty() const {
  return processes.empty() && channels.empty() && channel_sets.empty() && modules.empty() && renamed.empty() &&
         owned.empty() && ends.empty();
}

void TraceGrowth::add_to(TraceInfo& info) const {
  info.processes.insert(info.processes.end(), processes.begin(), processes.end());
  info.channels.insert(info.channels.end(), channels.begin(), channels.end());
  info.modules.insert(info.modules.end(), modules.begin(), modules.end());
  for (const auto only : channel_sets) info.channel_sets.push_back({only});
  for (const auto& [process, name, program] : renamed) {
    info.processes.at(process.value).name = name;
    info.processes.at(process.value).program = program;
  }
  for (const auto& [channel, owner] : owned) info.channels.at(channel.value).owner = owner;
  for (const auto& [channel, sending, end] : ends) {
    ChannelInfo& described = info.channels.at(channel.value);
    (sending ? described.sender : described.receiver) = end;
  }
}

}  // namespace dpm

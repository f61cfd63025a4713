#include "analysis/vector_clocks/snapshot.hpp"

#include <map>

namespace dpm {

void Snapshot::add(const Event& event) {
  const std::uint32_t process = event.process.value;
  if (process >= processes_.size()) processes_.resize(process + 1);
  ++processes_[process].events;
  processes_[process].last = event;
  if ((event.flags & (event_flags::kNoMessage | event_flags::kKernelMessage)) != 0) return;
  if (event.type == EventType::send) under_way_.insert_or_assign(message_key(event), event.length_bytes);
  if (event.type == EventType::receive && !event.peer.is_none()) under_way_.erase(message_key(event));
}

std::vector<Snapshot::UnderWay> Snapshot::under_way() const {
  std::map<std::pair<std::uint32_t, std::uint32_t>, UnderWay> by_channel;
  for (const auto& [key, bytes] : under_way_) {
    UnderWay& channel = by_channel[{key.channel, key.sender}];
    channel.channel = ChannelId{key.channel};
    channel.sender = ProcessId{key.sender};
    ++channel.messages;
    channel.bytes += bytes;
  }
  std::vector<UnderWay> all;
  for (const auto& [key, channel] : by_channel) all.push_back(channel);
  return all;
}

}  // namespace dpm

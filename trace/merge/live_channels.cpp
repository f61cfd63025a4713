#include "trace/merge/live_channels.hpp"

namespace dpm {

ChannelId LiveChannels::add(const ChannelInfo& described) {
  const ChannelId channel{channels_++};
  growth_.channels.push_back(described);
  known_[channel.value].info = described;
  return channel;
}

void LiveChannels::describe(ChannelId channel, const ChannelInfo& described) {
  ++known_.at(channel.value).describers;
  learn(channel, described);
}

void LiveChannels::learn(ChannelId channel, const ChannelInfo& described) {
  owner_is(channel, described.owner);
  end_is(channel, true, described.sender);
  end_is(channel, false, described.receiver);
}

void LiveChannels::owner_is(ChannelId channel, ProcessId owner) {
  const auto found = known_.find(channel.value);
  if (found == known_.end() || owner.is_none() || !found->second.info.owner.is_none()) return;
  found->second.info.owner = owner;
  growth_.owned.push_back({channel, owner});
}

void LiveChannels::end_is(ChannelId channel, bool sending, const ChannelEnd& end) {
  const auto found = known_.find(channel.value);
  if (found == known_.end()) return;
  ChannelEnd& known = sending ? found->second.info.sender : found->second.info.receiver;
  const bool is_better = known.machine.is_none() && !end.machine.is_none();
  const bool has_port_now = known.machine == end.machine && known.port == 0 && end.port != 0;
  if (!is_better && !has_port_now) return;
  known = end;
  growth_.ends.push_back({channel, sending, end});
}

std::vector<ChannelId> LiveChannels::close(ChannelId channel, bool for_good) {
  const auto found = known_.find(channel.value);
  if (found == known_.end()) return {};
  Known& known = found->second;
  known.still_open |= !for_good;
  if (--known.describers > 0) return {};
  const bool has_both_ends = !known.info.sender.machine.is_none() && !known.info.receiver.machine.is_none();
  std::vector<ChannelId> forgotten;
  if (has_both_ends && !known.still_open)
    forgotten.push_back(channel);
  else
    waiting_.push_back(channel);
  while (waiting_.size() > kWaitingMax) {
    const ChannelId oldest = waiting_.front();
    waiting_.pop_front();
    const auto waited = known_.find(oldest.value);
    if (waited != known_.end() && waited->second.describers == 0) forgotten.push_back(oldest);
  }
  for (const ChannelId gone : forgotten) known_.erase(gone.value);
  return forgotten;
}

std::vector<ChannelInfo> LiveChannels::all() const {
  std::vector<ChannelInfo> infos;
  for (const auto& [id, known] : known_) infos.push_back(known.info);
  return infos;
}

}  // namespace dpm

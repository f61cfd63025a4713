#include "analysis/blame/full_channels.hpp"

#include <algorithm>
#include <iterator>

namespace dpm {
namespace {

// Of a socket; see Channel::write_bytes.
constexpr std::int64_t kSocketWriteBytes = 512;
// More than one RECEIVE takes of a message that is longer.
constexpr std::uint64_t kTakenMost = 64 << 10;

// A half of what Linux gives a channel whose size the program does not choose.
std::int64_t half_bytes_of(ChannelMedium medium) {
  switch (medium) {
    case ChannelMedium::pipe:
      return 32 << 10;
    case ChannelMedium::unix_socket:
      return 104 << 10;
    case ChannelMedium::tcp:
      return 64 << 10;
    default:
      return 0;
  }
}

}  // namespace

FullChannels::FullChannels(std::span<const Event> events, std::span<const std::int64_t> times_ns, const TraceInfo& info)
    : channels_(info.channels.size()) {
  for (std::size_t c = 0; c < channels_.size(); ++c) {
    if (info.channels[c].kind != ChannelKind::stream) continue;
    channels_[c].half_bytes = half_bytes_of(info.channels[c].medium);
    if (info.channels[c].medium != ChannelMedium::pipe) channels_[c].write_bytes = kSocketWriteBytes;
  }
  std::vector<std::int64_t> called_ns(info.processes.size(), INT64_MAX);
  for (std::size_t i = 0; i < events.size(); ++i) {
    const Event& event = events[i];
    if (event.process.value >= called_ns.size()) continue;
    std::int64_t& called = called_ns[event.process.value];
    if (event.type == EventType::receive_call) called = times_ns[i];
    Channel* const channel = channel_of(event);
    if (channel == nullptr) continue;
    const bool is_whole = (event.flags & event_flags::kNoMessage) == 0;
    if (event.type == EventType::send) {
      channel->begins.push_back(event.sequence);
    } else if (event.type == EventType::receive) {
      const std::uint64_t taken =
          is_whole ? std::min<std::uint64_t>(event.length_bytes, kTakenMost) : event.length_bytes;
      channel->takes.push_back({std::min(called, times_ns[i]), times_ns[i], event.sequence + taken, event.process});
      called = INT64_MAX;
    }
  }
  for (Channel& channel : channels_) {
    std::sort(channel.begins.begin(), channel.begins.end());
    std::stable_sort(channel.takes.begin(), channel.takes.end(),
                     [](const Take& a, const Take& b) { return a.at_ns < b.at_ns; });
    for (std::size_t i = 1; i < channel.takes.size(); ++i)
      channel.takes[i].until = std::max(channel.takes[i].until, channel.takes[i - 1].until);
  }
}

FullChannels::Channel* FullChannels::channel_of(const Event& event) {
  if (event.channel.value >= channels_.size()) return nullptr;
  Channel& channel = channels_[event.channel.value];
  return channel.half_bytes == 0 ? nullptr : &channel;
}

std::int64_t FullChannels::held_bytes(const Channel& channel, const Event& send, std::uint64_t until) {
  const std::uint64_t end = send.sequence + send.length_bytes;
  if (end <= until) return 0;
  const auto unread = std::lower_bound(channel.begins.begin(), channel.begins.end(), until);
  const auto after = std::lower_bound(unread, channel.begins.end(), end);
  return static_cast<std::int64_t>(end - until) + (after - unread) * channel.write_bytes;
}

std::optional<FullChannels::Room> FullChannels::room_for(const Event& send, BlameInterval gap) const {
  if (send.channel.value >= channels_.size()) return std::nullopt;
  const Channel& channel = channels_[send.channel.value];
  if (channel.half_bytes == 0) return std::nullopt;
  // A writer may have gone on before the RECEIVE that made room has its time: that is its end.
  const auto first = std::partition_point(channel.takes.begin(), channel.takes.end(),
                                          [&](const Take& take) { return take.at_ns <= gap.from_ns; });
  std::optional<Room> room;
  std::uint64_t until = first == channel.takes.begin() ? 0 : std::prev(first)->until;
  for (auto take = first; take != channel.takes.end() && take->called_ns <= gap.to_ns; ++take) {
    // A socket wakes its writer only when a half of it is free, in which the kernel's own data counts.
    const std::int64_t full_bytes = room ? channel.half_bytes / 4 : channel.half_bytes;
    if (held_bytes(channel, send, until) <= full_bytes) break;
    if (take->reader != send.process) room = Room{take->reader, std::min(take->at_ns, gap.to_ns)};
    until = take->until;
  }
  return room;
}

}  // namespace dpm

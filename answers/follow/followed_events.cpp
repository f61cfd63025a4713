#include "answers/follow/followed_events.hpp"

namespace dpm::cli {

bool has_queue_event(const Event& event, const TraceInfo& info) {
  return event.channel.value >= info.channels.size() || info[event.channel].kind == ChannelKind::numbered;
}

Result<FollowedEvents> FollowedEvents::open(const std::string& path) {
  auto follower = TraceFollower::open(path);
  if (!follower) return follower.error();
  return FollowedEvents(*std::move(follower));
}

bool FollowedEvents::read(const Deliver& deliver, std::uint64_t events_max) {
  const auto take = [&](std::span<const Event> batch) { deliver(with_receivers(batch)); };
  return follower_.poll(take, events_max) >= events_max;
}

void FollowedEvents::read_again(const PacketPlace& place, const Deliver& deliver) {
  follower_.read_again(place, [&](std::span<const Event> batch) { deliver(with_receivers(batch)); });
}

// A live meter sees a SEND before it knows who reads the stream; the channel's owner is known by now, or soon.
std::span<const Event> FollowedEvents::with_receivers(std::span<const Event> batch) {
  const TraceInfo& info = follower_.info();
  batch_.assign(batch.begin(), batch.end());
  for (Event& event : batch_) {
    const bool has_owner =
        event.type == EventType::send && event.peer.is_none() && event.channel.value < info.channels.size();
    if (has_owner) event.peer = info[event.channel].owner;
  }
  return batch_;
}

}  // namespace dpm::cli

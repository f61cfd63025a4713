#include "backends/sim/moved_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/link_complaints.hpp"

namespace dpm::sim {

void MovedData::move(LinkIndex from_index, LinkIndex to_index, std::uint64_t bytes) {
  const Link from = link_with_area(from_index, bytes, true);
  const Link to = link_with_area(to_index, bytes, false);
  if (bytes == 0) return;
  Process& source = *from.channel->owner;
  if (&source == &caller_) return send(source, from, to, bytes, false);

  const bool wait_for_arrival = to.channel->owner == &caller_;
  Packet& request = simulation_.delivery().packets().take();
  request.from = &caller_;
  request.to = &source;
  request.delays = &simulation_.delivery().network().between(*caller_.machine, *source.machine);
  request.on_arrival = [this, from, to, bytes, wait_for_arrival](Packet& arrived) {
    send(*arrived.to, from, to, bytes, wait_for_arrival);
    if (!wait_for_arrival) simulation_.scheduler().wake(caller_);
  };
  simulation_.delivery().end_if_none_may_be_sent();
  simulation_.delivery().send(request);
  frame_.block(Waiting::for_data);
}

const Link& MovedData::link_with_area(LinkIndex index, std::uint64_t bytes, bool read) const {
  const Link& link = frame_.link_at(index);
  frame_.refuse_if(complaints::no_data_movement(link.channel->area, bytes, read));
  return link;
}

void MovedData::send(Process& source, const Link& from, const Link& to, std::uint64_t bytes, bool wake_caller) {
  const bool is_push = &source == &caller_;
  const std::uint64_t size = std::max<std::uint64_t>(simulation_.scenario().move_data_message_bytes, 1);
  Network& network = simulation_.delivery().network();
  for (std::uint64_t offset = 0; offset < bytes; offset += size) {
    const std::uint64_t part = std::min(size, bytes - offset);
    Packet& packet = packet_for(source, from, to, offset, part, wake_caller && offset + part == bytes);
    const Duration cost =
        DelayModel::sender_cpu(network.between(*source.machine, *packet.to->machine), packet.length_bytes);
    if (is_push)
      frame_.use_cpu(cost);
    else
      source.owed += cost;
    simulation_.delivery().end_if_none_may_be_sent();
    packet.delays = &network.between(*source.machine, *packet.to->machine);
    if (source.flags.has(EventType::send)) {
      Event event = simulation_.names().event_of(EventType::send, packet);
      event.pc = is_push ? frame_.pc() : 0;
      event.flags = event_flags::kKernelMessage;
      simulation_.meter().record(source, event);
    }
    ++source.messages_sent;
    simulation_.delivery().send(packet);
    if (is_push) frame_.settle();
  }
}

Packet& MovedData::packet_for(Process& source, const Link& from, const Link& to, std::uint64_t offset,
                              std::uint64_t bytes, bool wake_caller) {
  const std::uint64_t begin = from.channel->area->offset_bytes + offset;
  if (begin + bytes > source.address_space.size()) fail_as_shrunk(source);
  Packet& packet = simulation_.delivery().packets().take();
  packet.from = &source;
  packet.to = to.channel->owner;
  packet.channel = to.channel;
  packet.sequence = source.next_sequence++;
  packet.length_bytes = static_cast<std::uint32_t>(bytes);
  const auto first = source.address_space.begin() + static_cast<std::ptrdiff_t>(begin);
  packet.data.assign(first, first + static_cast<std::ptrdiff_t>(bytes));

  const std::uint64_t target = to.channel->area->offset_bytes + offset;
  packet.on_arrival = [this, target, wake_caller](Packet& arrived) {
    auto& space = arrived.to->address_space;
    if (target + arrived.data.size() > space.size()) fail_as_shrunk(*arrived.to);
    std::copy(arrived.data.begin(), arrived.data.end(), space.begin() + static_cast<std::ptrdiff_t>(target));
    if (wake_caller) simulation_.scheduler().wake(caller_);
  };
  return packet;
}

void MovedData::fail_as_shrunk(const Process& owner) const {
  simulation_.fail(
      fmt::format("process '{}', move_data: {}", caller_.name, complaints::address_space_shrank(owner.name)));
}

}  // namespace dpm::sim

// MOVEDATA (thesis 4.2.1): "the kernel sends a sequence of messages containing the data to be transferred".
//
//   push     the caller owns the source        its kernel sends at once; the call returns when the last message is sent
//   pull     the caller owns the destination   a request travels to the source's kernel first; the call returns when
//                                              the last byte has arrived, because no message would tell the caller
//   third    it owns neither                   a request travels first; the call returns when the last message is sent
//
// Each message is a SEND of the process that owns the source, marked as the kernel's; it costs that process the CPU
// time of a send, and its receiver nothing. The bytes are taken when they are sent and stored when they arrive.
#include <algorithm>
#include <cstring>

#include "backends/sim/process_calls.hpp"
#include "model/link_complaints.hpp"

#define DPM_ENTER(call) enter(call, __builtin_return_address(0))

namespace dpm::sim {

const Link& ProcessCalls::link_with_area(LinkIndex index, std::uint64_t bytes, bool read) const {
  const Link& link = link_at(index);
  refuse_if(complaints::no_data_movement(link.channel->area, bytes, read));
  return link;
}

void ProcessCalls::move_data(LinkIndex from_index, LinkIndex to_index, std::uint64_t bytes) {
  DPM_ENTER("move_data");
  const Link from = link_with_area(from_index, bytes, true);
  const Link to = link_with_area(to_index, bytes, false);
  if (bytes == 0) return;
  Process& source = *from.channel->owner;
  if (&source == &process_) return send_data(source, from, to, bytes, false);

  const bool wait_for_arrival = to.channel->owner == &process_;
  Packet& request = simulation_.packets().take();
  request.from = &process_;
  request.to = &source;
  request.delays = &simulation_.network().between(*process_.machine, *source.machine);
  request.on_arrival = [this, from, to, bytes, wait_for_arrival](Packet& arrived) {
    send_data(*arrived.to, from, to, bytes, wait_for_arrival);
    if (!wait_for_arrival) simulation_.wake(process_);
  };
  simulation_.send(request);
  block(Waiting::for_data);
}

void ProcessCalls::send_data(Process& source, const Link& from, const Link& to, std::uint64_t bytes, bool wake_me) {
  const std::uint64_t size = std::max<std::uint64_t>(simulation_.scenario().move_data_message_bytes, 1);
  Network& network = simulation_.network();
  for (std::uint64_t offset = 0; offset < bytes; offset += size) {
    const std::uint64_t part = std::min(size, bytes - offset);
    Packet& packet = data_packet(source, from, to, offset, part, wake_me && offset + part == bytes);
    const Duration cost =
        DelayModel::sender_cpu(network.between(*source.machine, *packet.to->machine), packet.length_bytes);
    if (&source == &process_)
      use_cpu(cost);
    else
      source.owed += cost;
    packet.delays = &network.between(*source.machine, *packet.to->machine);
    if (source.flags.has(EventType::send)) {
      Event event = simulation_.names().event_of(EventType::send, packet);
      event.pc = &source == &process_ ? pc() : 0;
      event.flags = event_flags::kKernelMessage;
      simulation_.meter().record(source, event);
    }
    ++source.messages_sent;
    simulation_.send(packet);
    if (&source == &process_) settle();
  }
}

Packet& ProcessCalls::data_packet(Process& source, const Link& from, const Link& to, std::uint64_t offset,
                                  std::uint64_t bytes, bool wake_me) {
  const std::uint64_t begin = from.channel->area->offset_bytes + offset;
  if (begin + bytes > source.address_space.size()) {
    simulation_.fail("process '" + process_.name + "', move_data: " + complaints::address_space_shrank(source.name));
  }
  Packet& packet = simulation_.packets().take();
  packet.from = &source;
  packet.to = to.channel->owner;
  packet.channel = to.channel;
  packet.sequence = source.next_sequence++;
  packet.length_bytes = static_cast<std::uint32_t>(bytes);
  const auto first = source.address_space.begin() + static_cast<std::ptrdiff_t>(begin);
  packet.data.assign(first, first + static_cast<std::ptrdiff_t>(bytes));

  const std::uint64_t target = to.channel->area->offset_bytes + offset;
  packet.on_arrival = [this, target, wake_me](Packet& arrived) {
    auto& space = arrived.to->address_space;
    if (target + arrived.data.size() > space.size()) {
      simulation_.fail("process '" + process_.name +
                       "', move_data: " + complaints::address_space_shrank(arrived.to->name));
    }
    std::copy(arrived.data.begin(), arrived.data.end(), space.begin() + static_cast<std::ptrdiff_t>(target));
    if (wake_me) simulation_.wake(process_);
  };
  return packet;
}

}  // namespace dpm::sim

#include "backends/linux/calls/datagram_flows.hpp"

#include <algorithm>
#include <memory>
#include <utility>

#include "backends/linux/calls/conversation.hpp"
#include "backends/linux/calls/flow_names.hpp"

namespace dpm {

bool DatagramFlows::is_ours(const std::string& address) const {
  return addresses_.empty() || is_loopback_address(address) ||
         std::find(addresses_.begin(), addresses_.end(), address) != addresses_.end();
}

bool DatagramFlows::may_be_same(const ChannelEnd& a, const ChannelEnd& b) const {
  if (a.address == b.address) return true;
  const bool is_any_a = is_any_address(a.address), is_any_b = is_any_address(b.address);
  return (is_any_a && is_any_b) || (is_any_a && is_ours(b.address)) || (is_any_b && is_ours(a.address));
}

Flow* DatagramFlows::take_unbound(const ChannelEnd& sender, const ChannelEnd& receiver) {
  const auto found = std::find_if(unbound_.begin(), unbound_.end(), [&](const Known& known) {
    return known.receiver.port == receiver.port && may_be_same(known.receiver, receiver);
  });
  if (found == unbound_.end()) return nullptr;
  Flow* flow = found->flow;
  unbound_.erase(found);
  const std::uint64_t socket = std::exchange(flow->sender_id, 0);
  flows_.stands_at(*flow, true, socket, sender);
  return flow;
}

// A sender without a name may send several datagrams by one call.
Flow* DatagramFlows::find_unbound(const Socket& sender, const ChannelEnd& receiver) const {
  const auto found = std::find_if(unbound_.begin(), unbound_.end(), [&](const Known& known) {
    return known.flow->sender_id == sender.id && known.receiver.port == receiver.port &&
           known.receiver.address == receiver.address;
  });
  return found == unbound_.end() ? nullptr : found->flow;
}

// The socket's name is known now.
void DatagramFlows::name_unbound(const Socket& socket) {
  const ChannelEnd name = end_named(socket.description.medium, socket.description.local_name);
  if (name.port == 0 || unbound_senders_.erase(socket.id) == 0) return;
  std::erase_if(unbound_, [&](const Known& known) {
    if (known.flow->sender_id != socket.id) return false;
    known.flow->sender_id = 0;
    flows_.stands_at(*known.flow, true, socket.id, name);
    udp_[std::uint32_t{name.port} << 16 | known.receiver.port].push_back({name, known.receiver, known.flow});
    return true;
  });
}

Flow& DatagramFlows::add(ChannelInfo described) {
  if (count_ >= kFlowsMax) remove_least_used();
  ++count_;
  return flows_.add(std::move(described));
}

Flow& DatagramFlows::used(Flow& flow) {
  flow.last_used = ++uses_;
  return flow;
}

// A sender finds its own flows by name_unbound(); only a receiver can find a flow whose sender had no name yet.
Flow& DatagramFlows::udp(const ChannelEnd& sender, const ChannelEnd& receiver, const std::string& name,
                         bool is_received) {
  ChannelInfo described;
  described.name = name;
  described.kind = ChannelKind::datagram;
  described.medium = ChannelMedium::udp;
  described.sender = sender;
  described.receiver = receiver;
  if (sender.port == 0 && is_received) {
    Flow*& flow = unnamed_[name];
    if (flow == nullptr) flow = &add(std::move(described));
    return *flow;
  }
  if (sender.port == 0) {
    Flow& flow = add(std::move(described));
    flow.to = receiver;
    unbound_.push_back({sender, receiver, &flow});
    return flow;
  }
  const std::uint32_t ports = std::uint32_t{sender.port} << 16 | receiver.port;
  for (const Known& flow : udp_[ports])
    if (may_be_same(flow.sender, sender) && may_be_same(flow.receiver, receiver)) return *flow.flow;
  Flow* flow = is_received ? take_unbound(sender, receiver) : nullptr;
  if (flow == nullptr) flow = &add(std::move(described));
  flow->to = receiver;
  udp_[ports].push_back({sender, receiver, flow});
  return *flow;
}

Flow& DatagramFlows::to_unix(const std::string& from, const std::string& to) {
  const auto known = unix_.find(to);
  if (known != unix_.end()) return *known->second;
  Flow& flow = add(describe_flow(Medium::unix_datagram, ChannelKind::datagram, from, to));
  flow.unreceived = std::make_unique<UnreceivedDatagrams>();
  unix_[to] = &flow;
  return flow;
}

Flow& DatagramFlows::to(const Socket& sender, const std::string& receiver) {
  const Medium medium = sender.description.medium;
  const std::string& own = sender.description.local_name;
  const ChannelEnd from = end_named(medium, own);
  if (medium == Medium::udp && from.port == 0) {
    unbound_senders_.insert(sender.id);
    if (Flow* known = find_unbound(sender, end_named(medium, receiver))) return used(*known);
  }
  name_unbound(sender);
  Flow& flow = medium == Medium::udp ? udp(from, end_named(medium, receiver), flow_name(medium, own, receiver), false)
                                     : to_unix(own, receiver);
  flows_.stands_at(flow, true, sender.id, from);
  return used(flow);
}

Flow& DatagramFlows::from(const std::string& sender, const Socket& receiver) {
  const Medium medium = receiver.description.medium;
  const std::string& own = receiver.description.local_name;
  const ChannelEnd at = end_named(medium, own);
  name_unbound(receiver);
  Flow& flow = medium == Medium::udp ? udp(end_named(medium, sender), at, flow_name(medium, sender, own), true)
                                     : to_unix(sender, own);
  flows_.stands_at(flow, false, receiver.id, at);
  return used(flow);
}

void DatagramFlows::remove_least_used() {
  // It is not known any more whether a metered process sent what is received on these flows.
  accounts_.give_up();
  std::vector<std::uint64_t> uses;
  for (const auto& known : unbound_) uses.push_back(known.flow->last_used);
  for (const auto& [ports, flows] : udp_)
    for (const auto& known : flows) uses.push_back(known.flow->last_used);
  for (const auto& [receiver, flow] : unix_) uses.push_back(flow->last_used);
  for (const auto& [receiver, flow] : unnamed_) uses.push_back(flow->last_used);
  const auto middle = uses.begin() + static_cast<std::ptrdiff_t>(uses.size() / 2);
  std::nth_element(uses.begin(), middle, uses.end());
  const std::uint64_t oldest_kept = *middle;
  const auto removes = [&](Flow& flow) {
    if (flow.last_used >= oldest_kept) return false;
    flows_.remove(flow);
    --count_;
    return true;
  };
  std::erase_if(unbound_, [&](const Known& known) { return removes(*known.flow); });
  for (auto& [ports, flows] : udp_) std::erase_if(flows, [&](const Known& known) { return removes(*known.flow); });
  std::erase_if(udp_, [](const auto& entry) { return entry.second.empty(); });
  std::erase_if(unix_, [&](const auto& entry) { return removes(*entry.second); });
  std::erase_if(unnamed_, [&](const auto& entry) { return removes(*entry.second); });
}

}  // namespace dpm

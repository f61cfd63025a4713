#include "analysis/messages/datagrams.hpp"

#include <algorithm>
#include <tuple>

namespace dpm {

void Datagrams::send(const Event& event) {
  Sender& sender = senders_[event.process];
  sender.by_length[event.length_bytes].push_back(static_cast<std::uint32_t>(sender.sent.size()));
  sender.sent.push_back({event.sequence, event.local_time, event.length_bytes, event.machine, {}});
}

void Datagrams::receive(const Event& event) {
  received_by_[event.process].push_back(static_cast<std::uint32_t>(received_.size()));
  received_.push_back({event.process, event.peer, event.local_time, event.length_bytes, event.machine, {}, 0});
}

void Datagrams::match() {
  // Readers that share a socket alternate; on one machine its clock tells which one was next. A clock that was set back
  // does not change the order of one process.
  std::map<ProcessId, LocalTime> latest;
  std::vector<LocalTime> turn(received_.size());
  std::vector<std::uint32_t> order(received_.size());
  for (std::uint32_t i = 0; i < received_.size(); ++i) {
    const auto [last, first] = latest.try_emplace(received_[i].process, received_[i].time);
    last->second = std::max(last->second, received_[i].time);
    turn[i] = last->second;
    order[i] = i;
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return std::tuple(turn[a], received_[a].process, a) < std::tuple(turn[b], received_[b].process, b);
  });
  // One without a sender takes what no other has taken: it may come from outside.
  for (const bool has_sender : {true, false})
    for (const std::uint32_t i : order)
      if (has_sender != received_[i].peer.is_none()) match(received_[i]);
  for (auto& [process, sender] : senders_) {
    for (std::uint32_t i = 0; i < sender.next; ++i) lost_ += sender.sent[i].receiver.is_none() ? 1 : 0;
  }
}

std::optional<std::uint32_t> Datagrams::candidate(const Sender& sender, const Received& received) const {
  const auto places = sender.by_length.find(received.length_bytes);
  if (places == sender.by_length.end()) return std::nullopt;
  const auto first = std::lower_bound(places->second.begin(), places->second.end(), sender.next);
  if (first == places->second.end()) return std::nullopt;
  const Sent& sent = sender.sent[*first];
  if (sent.machine == received.machine && sent.time > received.time) return std::nullopt;
  return *first;
}

void Datagrams::match(Received& received) {
  Sender* best = nullptr;
  std::uint32_t place = 0;
  const auto better = [&](const Sender& sender, std::uint32_t at) {
    if (best == nullptr) return true;
    return std::tuple(at - sender.next, sender.sent[at].time) < std::tuple(place - best->next, best->sent[place].time);
  };
  for (auto& [process, sender] : senders_) {
    if (!received.peer.is_none() && received.peer != process) continue;
    const auto at = candidate(sender, received);
    if (!at || !better(sender, *at)) continue;
    best = &sender;
    place = *at;
    received.sender = process;
  }
  if (best == nullptr) return;
  received.place = place;
  best->sent[place].receiver = received.process;
  best->next = place + 1;
  ++matched_;
}

ProcessId Datagrams::next_receiver(ProcessId process) {
  const auto sender = senders_.find(process);
  if (sender == senders_.end() || sender->second.asked >= sender->second.sent.size()) return {};
  return sender->second.sent[sender->second.asked++].receiver;
}

std::optional<Datagrams::Arrival> Datagrams::next_arrival(ProcessId process) {
  const auto places = received_by_.find(process);
  if (places == received_by_.end()) return std::nullopt;
  std::size_t& asked = asked_[process];
  if (asked >= places->second.size()) return std::nullopt;
  const Received& received = received_[places->second[asked++]];
  if (received.sender.is_none()) return std::nullopt;
  return Arrival{received.sender, senders_.at(received.sender).sent[received.place].sequence};
}

}  // namespace dpm

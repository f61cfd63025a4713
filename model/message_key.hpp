// What names one message in a trace: its sender, its channel, and its place among those that the sender sent there.
#pragma once

#include <cstddef>
#include <cstdint>

#include "model/event.hpp"

namespace dpm {

struct MessageKey {
  std::uint64_t sequence = 0;
  std::uint32_t sender = 0;
  std::uint32_t channel = 0;

  friend bool operator==(const MessageKey&, const MessageKey&) = default;
};

// Of a SEND; of a RECEIVE or MESSAGEQUEUED, the sender is the peer.
inline MessageKey message_key(const Event& event) {
  const ProcessId sender = event.type == EventType::send ? event.process : event.peer;
  return {event.sequence, sender.value, event.channel.value};
}

struct MessageKeyHash {
  std::size_t operator()(const MessageKey& key) const {
    std::uint64_t h = key.sequence * 0x9e3779b97f4a7c15ull;
    h ^= ((static_cast<std::uint64_t>(key.sender) << 32) | key.channel) * 0xc2b2ae3d27d4eb4full;
    h ^= h >> 29;
    h *= 0xbf58476d1ce4e5b9ull;
    return h ^ (h >> 32);
  }
};

}  // namespace dpm

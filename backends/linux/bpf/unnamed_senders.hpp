// Finds the sender of a datagram that a program received without asking for its name: the metered sender whose datagram
// to this port is the oldest that was not received yet, and has this length.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>

namespace dpm {

class UnnamedSenders {
 public:
  static constexpr std::size_t kWaitingMax = 4096;  // at one port; datagrams can be lost

  void sent(std::uint16_t to_port, const std::string& by, std::uint64_t bytes) {
    auto& waiting = waiting_[to_port];
    waiting.push_back({by, bytes});
    if (waiting.size() > kWaitingMax) waiting.pop_front();
  }
  // The sender's name was told.
  void received(std::uint16_t at_port, const std::string& from, std::uint64_t bytes) {
    take(at_port, [&](const Waiting& one) { return one.bytes == bytes && port_of(one.by) == port_of(from); });
  }
  // Empty if no metered process sent it.
  std::string sender_of(std::uint16_t at_port, std::uint64_t bytes) {
    return take(at_port, [&](const Waiting& one) { return one.bytes == bytes; });
  }

 private:
  struct Waiting {
    std::string by;
    std::uint64_t bytes = 0;
  };
  static std::string port_of(const std::string& name) { return name.substr(name.rfind(':') + 1); }
  template <typename Fits>
  std::string take(std::uint16_t port, Fits&& fits) {
    const auto found = waiting_.find(port);
    if (found == waiting_.end()) return "";
    auto& waiting = found->second;
    const auto one = std::find_if(waiting.begin(), waiting.end(), fits);
    if (one == waiting.end()) return "";
    std::string by = one->by;
    waiting.erase(one);
    if (waiting.empty()) waiting_.erase(found);
    return by;
  }

  std::unordered_map<std::uint16_t, std::deque<Waiting>> waiting_;  // by port
};

}  // namespace dpm

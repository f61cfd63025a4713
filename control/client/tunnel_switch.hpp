// The controller's part of tunnels (`filter --through controller`): passes the pieces of the streams between meters and
// filters on, from the daemon of one machine to that of another. It keeps nothing of them: both ends of a tunnel limit
// what is under way (agents/tunnel.hpp). No I/O.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "control/protocol/control_message.hpp"

namespace dpm::control {

class TunnelSwitch {
 public:
  static constexpr std::size_t kTunnelsMax = 4096;

  // For the agent of process or filter `piece.pid`.
  using Send = std::function<void(const std::string& machine, Relay piece)>;
  explicit TunnelSwitch(Send send) : send_(std::move(send)) {}

  // Meters of the filter with this id get tunnels to it from now on.
  void serve(const std::string& filter_id, const std::string& machine, std::uint32_t pid);
  // What an agent sends. The machine is not trusted.
  void take(const std::string& machine, Relay piece);
  // An agent has refused what it was sent.
  void refused(const std::string& machine, const Relay& piece);
  // The connection to the machine has ended, and with it all its tunnels.
  void lose(const std::string& machine);

  std::size_t tunnels() const { return other_ends_.size() / 2; }

 private:
  struct End {
    std::string machine;
    std::uint32_t pid = 0;
    std::uint64_t tunnel = 0;
    friend auto operator<=>(const End&, const End&) = default;
  };
  struct Place {
    std::string machine;
    std::uint32_t pid = 0;
  };

  const End* open(const End& from, const std::string& filter_id);
  void forget(const End& end);
  void send_to(const End& end, Relay piece);

  Send send_;
  std::map<std::string, Place> filters_;  // by id
  std::map<End, End> other_ends_;         // in both directions
  std::uint64_t last_tunnel_ = 0;         // of those that end at filters: meters number their own
};

}  // namespace dpm::control

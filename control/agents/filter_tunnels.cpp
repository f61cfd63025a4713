#include "control/agents/filter_tunnels.hpp"

#include <utility>

#include "os/net/timer.hpp"

namespace dpm {

void FilterTunnels::take(const control::Relay& piece) {
  const std::uint64_t number = piece.tunnel;
  if (!tunnels_.contains(number)) {
    if (piece.end) return;
    if (auto opened = open(number); !opened) {
      control::Relay refusal;
      refusal.tunnel = number;
      refusal.end = true;
      return handlers_.send(std::move(refusal));
    }
  }
  tunnels_.at(number)->take(piece);
}

Result<void> FilterTunnels::open(std::uint64_t number) {
  if (tunnels_.size() >= kTunnelsMax) return Error{"too many tunnels"};
  auto sockets = Tunnel::make_sockets();
  if (!sockets) return sockets.error();
  tunnels_[number] = std::make_unique<Tunnel>(context_, std::move(sockets->first),
                                              Tunnel::Handlers{[this, number](control::Relay piece) {
                                                                 piece.tunnel = number;
                                                                 handlers_.send(std::move(piece));
                                                               },
                                                               [this, number] { remove(number); }});
  handlers_.on_connection(std::move(sockets->second));
  return {};
}

// Called in a handler of the tunnel.
void FilterTunnels::remove(std::uint64_t number) {
  const auto node = std::make_shared<decltype(tunnels_)::node_type>(tunnels_.extract(number));
  later(context_, [node] {});
}

void FilterTunnels::end_all() { tunnels_.clear(); }

}  // namespace dpm

#include "control/agents/meter_tunnel.hpp"

#include <utility>

#include "os/net/timer.hpp"

namespace dpm {

Result<UniqueFd> MeterTunnel::dial(const std::string& filter_id) {
  if (!handlers_.is_listened_to()) return Error{"no controller is connected, through which they travel"};
  auto sockets = Tunnel::make_sockets();
  if (!sockets) return sockets.error();
  const std::uint64_t number = ++number_;
  // Every piece names the filter: the controller asks for it with the first one.
  Tunnel::Handlers handlers;
  handlers.send = [this, number, filter_id](control::Relay piece) {
    piece.tunnel = number;
    piece.filter = filter_id;
    handlers_.send(std::move(piece));
  };
  handlers.on_end = [this] { later(context_, [ended = std::shared_ptr<Tunnel>(std::move(tunnel_))] {}); };
  tunnel_ = std::make_unique<Tunnel>(context_, std::move(sockets->first), std::move(handlers));
  return std::move(sockets->second);
}

void MeterTunnel::take(const control::Relay& piece) {
  if (tunnel_ != nullptr && piece.tunnel == number_) tunnel_->take(piece);
}

}  // namespace dpm

// The tunnels (tunnel.hpp) that end at a filter's collector: each is the connection of one meter.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>

#include "control/agents/tunnel.hpp"

namespace dpm {

class FilterTunnels {
 public:
  static constexpr std::size_t kTunnelsMax = 4096;

  struct Handlers {
    std::function<void(control::Relay)> send;     // without the pid
    std::function<void(UniqueFd)> on_connection;  // of a meter
  };
  FilterTunnels(asio::io_context& context, Handlers handlers) : context_(context), handlers_(std::move(handlers)) {}

  // A piece of a tunnel that is not known opens it.
  void take(const control::Relay& piece);
  // The way that they took is broken.
  void end_all();

 private:
  Result<void> open(std::uint64_t number);
  void remove(std::uint64_t number);

  asio::io_context& context_;
  Handlers handlers_;
  std::map<std::uint64_t, std::unique_ptr<Tunnel>> tunnels_;
};

}  // namespace dpm

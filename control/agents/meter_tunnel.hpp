// The tunnel (tunnel.hpp) of a supervisor's meter: one at a time, which the meter's link dials.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "control/agents/tunnel.hpp"

namespace dpm {

class MeterTunnel {
 public:
  struct Handlers {
    std::function<bool()> is_listened_to;      // a controller is connected
    std::function<void(control::Relay)> send;  // without the pid
  };
  MeterTunnel(asio::io_context& context, Handlers handlers) : context_(context), handlers_(std::move(handlers)) {}

  // A connection to the collector of the filter with this id.
  Result<UniqueFd> dial(const std::string& filter_id);
  void take(const control::Relay& piece);
  // The way that it took is broken.
  void end() { tunnel_.reset(); }

 private:
  asio::io_context& context_;
  Handlers handlers_;
  std::uint64_t number_ = 0;  // of the last tunnel
  std::unique_ptr<Tunnel> tunnel_;
};

}  // namespace dpm

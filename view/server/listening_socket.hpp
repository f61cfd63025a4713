// A socket that listens on a numeric address.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.hpp"
#include "os/unique_fd.hpp"

namespace dpm::view {

struct ListeningSocket {
  UniqueFd socket;  // non-blocking
  std::uint16_t port = 0;
};

// Port 0: any that is free. Of "::", IPv4 connections are accepted as well.
Result<ListeningSocket> listen_on(const std::string& address, std::uint16_t port);

// 0.0.0.0 or ::
bool is_any_address(const std::string& address);

}  // namespace dpm::view

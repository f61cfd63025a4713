// Makes a TCP connection within a time limit.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "os/net/asio.hpp"

namespace dpm {

// Connects to the first address of `host` that answers within `patience`. Returns why it failed; empty: `socket` is
// connected. Gives up when the socket is closed.
asio::awaitable<std::string> connect_to(asio::io_context& context, asio::ip::tcp::socket& socket, std::string host,
                                        std::uint16_t port, std::chrono::milliseconds patience);

}  // namespace dpm

// How the page is served, and how much of this process's memory and time viewers and strangers may take.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "model/result.hpp"

namespace dpm::view {

// Memory is at most connections_max * (request_bytes_max + unsent_bytes_max + answers_open_max answers).
struct ServerLimits {
  std::size_t connections_max = 64;
  std::size_t header_bytes_max = 8 * 1024;            // of an HTTP request
  std::size_t message_bytes_max = 64 * 1024;          // of a viewer's WebSocket message
  std::size_t requests_open_max = 64;                 // of a viewer; more are refused with an error
  std::size_t request_bytes_max = 256 * 1024;         // of a viewer's open requests; then it is not read from
  std::size_t answers_open_max = 8;                   // of a viewer, asked for and not there; further requests wait
  std::size_t unsent_bytes_max = 1024 * 1024;         // of a viewer's answers; beyond, its requests wait
  std::chrono::milliseconds header{10'000};           // for a whole header, and for the TLS handshake
  std::chrono::milliseconds unread{30'000};           // a viewer that takes nothing for so long is dropped
  std::chrono::milliseconds silence{60'000};          // of a viewer; after half of it, it is asked for a sign of life
  std::chrono::milliseconds between_ticks{100};       // to one viewer
  std::chrono::milliseconds answer_patience{30'000};  // for the answer of the HTTP form
};

struct ServerOptions {
  std::string address = "127.0.0.1";  // numeric, IPv4 or IPv6
  std::uint16_t port = 0;             // 0: any that is free
  std::string token_file;             // of the token in the address (page_token.hpp); empty: a new one each time
  // PEM files. With them the server speaks only TLS.
  std::string certificate_file;  // --certificate
  std::string key_file;          // --key
  bool insecure = false;         // --insecure: other machines may connect without TLS
  // Names under which viewers reach the server, beside its address: "name", or "name:port" behind a tunnel.
  std::vector<std::string> allowed_hosts;  // --allow-host
  ServerLimits limits;
};

// Refuses what would let other machines read along: an address that is not loopback, without TLS.
Result<void> check_options(const ServerOptions& options);

}  // namespace dpm::view

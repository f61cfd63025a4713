// A connection between two ends that share a key: TLS 1.3 with an external pre-shared key (RFC 8446 2.2) and a fresh
// Diffie-Hellman exchange, without certificates. The client offers an identity, which tells the server the key. A
// successful handshake proves to each end that the other has the key of that identity; with another key it fails. A third
// party cannot read, change or replay the data, not even if it learns the key later.
//
// Only this folder includes <openssl/ssl.h> and asio::ssl.
#pragma once

// clang-format off: as in os/net/asio.hpp
#include <utility>
// clang-format on

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>

#include "control/transport/tls/tls_context.hpp"
#include "os/net/asio.hpp"

namespace dpm {

using TlsStream = asio::ssl::stream<asio::ip::tcp::socket>;

// Returns why it failed; empty: both ends have proved that they have the key. The caller bounds the time with a Timer
// that closes the socket.
asio::awaitable<std::string> shake_hands(TlsStream& stream, TlsRole role);

// At the server, after the handshake: what the client has proved to be.
std::string proved_identity(TlsStream& stream);

}  // namespace dpm

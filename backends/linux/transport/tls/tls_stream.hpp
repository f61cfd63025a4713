// A connection between two ends that share a secret: TLS 1.3 with the secret as an external pre-shared key (RFC 8446 2.2)
// and a fresh Diffie-Hellman exchange, without certificates. A successful handshake proves to each end that the other has
// the secret; with a wrong secret it fails. A third party cannot read, change or replay the data, not even if it learns
// the secret later.
//
// Only this folder includes <openssl/ssl.h> and asio::ssl.
#pragma once

// clang-format off: as in net/asio.hpp
#include <utility>
// clang-format on

#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <memory>
#include <string>

#include "backends/linux/transport/net/asio.hpp"
#include "backends/linux/transport/tls/tls_context.hpp"

namespace dpm {

using TlsStream = asio::ssl::stream<asio::ip::tcp::socket>;

// Returns why it failed; empty: both ends have proved that they have the secret. The caller bounds the time with a Timer
// that closes the socket.
asio::awaitable<std::string> shake_hands(TlsStream& stream, TlsRole role);

}  // namespace dpm

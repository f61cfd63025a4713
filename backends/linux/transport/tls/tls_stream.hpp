// A connection that only those who have a secret can speak over: TLS 1.3 with the secret as an external pre-shared key
// (RFC 8446 2.2), with a fresh Diffie-Hellman exchange. There are no certificates: a handshake that succeeds has shown
// to both ends that the other one has the secret, and nobody else, not even with the secret later, can read, change or
// replay what is sent. A wrong secret fails the handshake.
//
// The only home of <openssl/ssl.h>, and of asio::ssl.
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

// Why it failed; empty: both ends have shown that they have the secret. To be bounded by a Timer that closes the socket.
asio::awaitable<std::string> shake_hands(TlsStream& stream, TlsRole role);

}  // namespace dpm

// The two kinds of streams that a connection can have, and what differs between them.
#pragma once

#include <utility>

#include "view/server/beast.hpp"

namespace dpm::view {

// Types of our own, so that Beast finds our async_teardown(): its own waits for the other end without a limit.
struct TcpStream : asio::ip::tcp::socket {
  explicit TcpStream(asio::ip::tcp::socket socket) : asio::ip::tcp::socket(std::move(socket)) {}
};
struct TlsStream : asio::ssl::stream<asio::ip::tcp::socket> {
  using asio::ssl::stream<asio::ip::tcp::socket>::stream;
};

inline asio::ip::tcp::socket& tcp_of(TcpStream& stream) { return stream; }
inline asio::ip::tcp::socket& tcp_of(TlsStream& stream) { return stream.next_layer(); }

// Beast calls it when a WebSocket has ended, before it tells why. What is left to do is say_farewell().
template <typename Handler>
void tear_down(asio::ip::tcp::socket& socket, Handler&& handler) {
  AsioError ignored;
  socket.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  asio::post(socket.get_executor(), beast::bind_front_handler(std::forward<Handler>(handler), AsioError{}));
}
template <typename Handler>
void async_teardown(beast::role_type, TcpStream& stream, Handler&& handler) {
  tear_down(tcp_of(stream), std::forward<Handler>(handler));
}
template <typename Handler>
void async_teardown(beast::role_type, TlsStream& stream, Handler&& handler) {
  tear_down(tcp_of(stream), std::forward<Handler>(handler));
}

inline asio::awaitable<AsioError> shake_hands(TcpStream&) { co_return AsioError{}; }
inline asio::awaitable<AsioError> shake_hands(TlsStream& stream) {
  AsioError failed;
  co_await stream.async_handshake(asio::ssl::stream_base::server, asio::redirect_error(asio::use_awaitable, failed));
  co_return failed;
}

}  // namespace dpm::view

// The bytes of a connection: a TCP socket, or TLS on one. One type for both, so that Beast, which is a template over the stream and takes
// half a minute to compile for each, is compiled once. An operation costs one allocation and one indirect call more than with a type for each.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "view/server/beast.hpp"

namespace dpm::view {

class ByteStream {
 public:
  using Moved = std::function<void(AsioError, std::size_t bytes)>;
  using executor_type = asio::ip::tcp::socket::executor_type;

  // Without `tls`, the plain socket.
  ByteStream(asio::ip::tcp::socket socket, asio::ssl::context* tls);

  executor_type get_executor() { return socket_.get_executor(); }
  asio::ip::tcp::socket& next_layer() { return socket_; }

  asio::awaitable<AsioError> shake_hands();

  // As Asio's AsyncReadStream and AsyncWriteStream ask for: some bytes of the first buffers of a sequence.
  template <typename Buffers, typename Token>
  auto async_read_some(const Buffers& buffers, Token&& token) {
    return initiate(&ByteStream::read_some, first_of<asio::mutable_buffer>(buffers), std::forward<Token>(token));
  }
  template <typename Buffers, typename Token>
  auto async_write_some(const Buffers& buffers, Token&& token) {
    return initiate(&ByteStream::write_some, first_of<asio::const_buffer>(buffers), std::forward<Token>(token));
  }

 private:
  // A frame of a WebSocket and its content go out as one segment: the content would wait for the other end to acknowledge the frame.
  static constexpr std::size_t kBuffersMax = 4;
  template <typename Buffer>
  using FirstBuffers = std::array<Buffer, kBuffersMax>;

  void read_some(const FirstBuffers<asio::mutable_buffer>& into, Moved moved);
  void write_some(const FirstBuffers<asio::const_buffer>& from, Moved moved);

  template <typename Buffer, typename Buffers>
  static FirstBuffers<Buffer> first_of(const Buffers& buffers) {
    FirstBuffers<Buffer> first{};
    std::size_t count = 0;
    const auto end = asio::buffer_sequence_end(buffers);
    for (auto each = asio::buffer_sequence_begin(buffers); each != end && count < kBuffersMax; ++each) {
      const Buffer buffer(*each);
      if (buffer.size() > 0) first[count++] = buffer;
    }
    return first;
  }

  template <typename Buffer, typename Token>
  auto initiate(void (ByteStream::*operation)(const FirstBuffers<Buffer>&, Moved), const FirstBuffers<Buffer>& buffers,
                Token&& token) {
    return asio::async_initiate<Token, void(AsioError, std::size_t)>(
        [this, operation](auto&& handler, const FirstBuffers<Buffer>& first) {
          // A handler can only be moved, and std::function copies what it holds.
          using Handler = std::decay_t<decltype(handler)>;
          auto kept = std::make_shared<Handler>(std::forward<decltype(handler)>(handler));
          (this->*operation)(first, [kept](AsioError failed, std::size_t bytes) { std::move (*kept)(failed, bytes); });
        },
        token, buffers);
  }

  asio::ip::tcp::socket socket_;
  std::optional<asio::ssl::stream<asio::ip::tcp::socket&>> tls_;
};

// Beast calls it when a WebSocket has ended, before it tells why; its own would wait for the other end without a limit. What is left to do
// is say_farewell().
template <typename Handler>
void async_teardown(beast::role_type, ByteStream& stream, Handler&& handler) {
  AsioError ignored;
  stream.next_layer().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  asio::post(stream.get_executor(), beast::bind_front_handler(std::forward<Handler>(handler), AsioError{}));
}

}  // namespace dpm::view

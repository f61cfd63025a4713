#include "view/server/byte_stream.hpp"

namespace dpm::view {

ByteStream::ByteStream(asio::ip::tcp::socket socket, asio::ssl::context* tls) : socket_(std::move(socket)) {
  if (tls != nullptr) tls_.emplace(socket_, *tls);
}

asio::awaitable<AsioError> ByteStream::shake_hands() {
  AsioError failed;
  if (tls_) {
    co_await tls_->async_handshake(asio::ssl::stream_base::server, asio::redirect_error(asio::use_awaitable, failed));
  }
  co_return failed;
}

void ByteStream::read_some(const FirstBuffers<asio::mutable_buffer>& into, Moved moved) {
  tls_ ? tls_->async_read_some(into, std::move(moved)) : socket_.async_read_some(into, std::move(moved));
}

void ByteStream::write_some(const FirstBuffers<asio::const_buffer>& from, Moved moved) {
  tls_ ? tls_->async_write_some(from, std::move(moved)) : socket_.async_write_some(from, std::move(moved));
}

}  // namespace dpm::view

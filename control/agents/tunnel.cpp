#include "control/agents/tunnel.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace dpm {
namespace {

constexpr std::size_t kTunnelPieceBytes = 16 * 1024;

bool is_only_late(ssize_t done) { return done < 0 && (errno == EAGAIN || errno == EINTR); }

}  // namespace

Result<std::pair<UniqueFd, UniqueFd>> Tunnel::make_sockets() {
  std::array<int, 2> ends = {};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
    return Error::from_errno("make a tunnel");
  return std::pair(UniqueFd(ends[0]), UniqueFd(ends[1]));
}

Tunnel::Tunnel(asio::io_context& context, UniqueFd ours, Handlers handlers)
    : handlers_(std::move(handlers)), socket_(std::make_unique<Descriptor>(context, std::move(ours))) {
  wait();
}

void Tunnel::wait() {
  if (socket_ == nullptr) return;
  if (under_way_ < kWindowBytes) socket_->when_readable([this] { read(); });
  if (!waiting_.empty()) socket_->when_writable([this] { write(); });
}

void Tunnel::read() {
  if (under_way_ >= kWindowBytes) return;  // take() waits again
  control::Relay piece;
  piece.bytes.resize(std::min(kTunnelPieceBytes, kWindowBytes - under_way_));
  const ssize_t length = ::read(socket_->fd(), piece.bytes.data(), piece.bytes.size());
  if (is_only_late(length)) return wait();
  if (length <= 0) return end(true);
  piece.bytes.resize(static_cast<std::size_t>(length));
  under_way_ += piece.bytes.size();
  handlers_.send(std::move(piece));
  wait();
}

void Tunnel::take(const control::Relay& piece) {
  if (socket_ == nullptr) return;
  // The far end is not trusted.
  if (piece.taken > under_way_ || waiting_.size() + taken_ + piece.bytes.size() > kWindowBytes) return end(true);
  under_way_ -= piece.taken;
  waiting_ += piece.bytes;
  if (piece.end) {
    // What was on its way before the end: the socket has room for a window.
    if (!waiting_.empty()) (void)::send(socket_->fd(), waiting_.data(), waiting_.size(), MSG_NOSIGNAL);
    return end(false);
  }
  waiting_.empty() ? wait() : write();
}

void Tunnel::write() {
  while (!waiting_.empty()) {
    const ssize_t length = ::send(socket_->fd(), waiting_.data(), waiting_.size(), MSG_NOSIGNAL);
    if (is_only_late(length)) break;
    if (length <= 0) return end(true);
    waiting_.erase(0, static_cast<std::size_t>(length));
    taken_ += static_cast<std::size_t>(length);
  }
  if (taken_ >= kTunnelPieceBytes) {
    control::Relay news;
    news.taken = std::exchange(taken_, 0);
    handlers_.send(std::move(news));
  }
  wait();
}

void Tunnel::end(bool tell) {
  if (std::exchange(socket_, nullptr) == nullptr) return;
  if (tell) {
    control::Relay last;
    last.end = true;
    handlers_.send(std::move(last));
  }
  const auto on_end = std::move(handlers_.on_end);  // may destroy us
  on_end();
}

}  // namespace dpm

#include "backends/linux/remote/messages/message_stream.hpp"

#include <fcntl.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

namespace dpm {

MessageStream::MessageStream(EventLoop& loop, UniqueFd socket, Handlers handlers)
    : loop_(loop), socket_(std::move(socket)), handlers_(std::move(handlers)), interest_(EPOLLIN) {
  ::fcntl(socket_.get(), F_SETFL, O_NONBLOCK);
  loop_.watch(socket_.get(), interest_, [this](std::uint32_t events) { on_ready(events); });
}

MessageStream::~MessageStream() {
  *alive_ = false;
  loop_.cancel(frame_timer_);
  loop_.cancel(close_timer_);
  loop_.forget(socket_.get());
}

Result<void> MessageStream::send(const control::ControlMessage& message) {
  if (ended_ || closing_) return {};
  const bool was_idle = queued_bytes() == 0;
  if (auto done = control::append_message(outgoing_, message); !done) return done;
  if (was_idle) write();
  return {};
}

void MessageStream::set_reading(bool on) {
  if (ended_ || reading_ == on) return;
  reading_ = on;
  update_interest();
  // What had come before may already hold whole messages.
  if (on) {
    loop_.later([this, alive = alive_] {
      if (*alive && !ended_) take_frames();
    });
  }
}

void MessageStream::close_when_sent(const std::string& why) {
  if (ended_ || closing_) return;
  closing_ = true;
  set_reading(false);
  if (queued_bytes() == 0) return end(why, false);
  close_timer_ = loop_.after(std::chrono::seconds(1), [this, why] { end(why, false); });
}

void MessageStream::on_ready(std::uint32_t events) {
  if (ended_) return;
  if ((events & EPOLLOUT) != 0) write();
  if (ended_) return;
  if (reading_ && (events & (EPOLLIN | EPOLLHUP | EPOLLERR)) != 0) {
    read();
  } else if ((events & (EPOLLHUP | EPOLLERR)) != 0) {
    end("the other end is gone", false);
  }
}

void MessageStream::read() {
  char part[64 * 1024];
  const ssize_t length = ::recv(socket_.get(), part, sizeof part, 0);
  if (length < 0 && (errno == EAGAIN || errno == EINTR)) return;
  if (length <= 0)
    return end(frames_.is_inside_frame() ? "it was cut off in a message" : "the other end closed", false);
  frames_.feed({part, static_cast<std::size_t>(length)});
  take_frames();
}

void MessageStream::take_frames() {
  while (!ended_ && reading_) {
    auto frame = frames_.next();
    if (!frame) return end(frame.error().what, true);
    if (!*frame) return await_frame_end();
    loop_.cancel(std::exchange(frame_timer_, 0));
    auto message = control::decode_message(**frame);
    if (!message) {
      // It is told why, under the number of no request.
      (void)send(control::Reply{0, control::Refused{message.error().what}});
      return end(message.error().what, true);
    }
    handlers_.on_message(*std::move(message));
  }
}

void MessageStream::await_frame_end() {
  if (!frames_.is_inside_frame()) return loop_.cancel(std::exchange(frame_timer_, 0));
  if (frame_timer_ != 0) return;
  frame_timer_ = loop_.after(kFramePatience, [this] {
    frame_timer_ = 0;
    // While we do not read, it is not the other end that is slow.
    if (reading_) return end("a message was begun and not ended in time", true);
    await_frame_end();
  });
}

void MessageStream::write() {
  while (queued_bytes() > 0) {
    const ssize_t length = ::send(socket_.get(), outgoing_.data() + sent_, queued_bytes(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (length < 0 && errno == EINTR) continue;
    if (length < 0) break;  // that the other end is gone is seen where it is read
    sent_ += static_cast<std::size_t>(length);
  }
  const bool is_drained = queued_bytes() == 0;
  constexpr std::size_t kMoved = 1024 * 1024;
  if (is_drained || sent_ > kMoved) {
    outgoing_.erase(0, sent_);
    sent_ = 0;
    if (is_drained && outgoing_.capacity() > kMoved) outgoing_.shrink_to_fit();
  }
  update_interest();
  if (!is_drained) return;
  if (closing_) return end("closed", false);
  if (handlers_.on_drained) {
    loop_.later([this, alive = alive_] {
      if (*alive && !ended_ && queued_bytes() == 0) handlers_.on_drained();
    });
  }
}

void MessageStream::update_interest() {
  const std::uint32_t wanted = (reading_ ? EPOLLIN : 0u) | (queued_bytes() > 0 ? EPOLLOUT : 0u);
  if (wanted == interest_) return;
  interest_ = wanted;
  loop_.change(socket_.get(), interest_);
}

void MessageStream::end(const std::string& why, bool broken) {
  if (std::exchange(ended_, true)) return;
  loop_.cancel(std::exchange(frame_timer_, 0));
  loop_.cancel(std::exchange(close_timer_, 0));
  loop_.forget(socket_.get());
  ::shutdown(socket_.get(), SHUT_RDWR);
  loop_.later([this, alive = alive_, why, broken] {
    if (!*alive) return;
    const auto on_end = std::move(handlers_.on_end);  // outlives us, should it destroy us
    on_end(why, broken);
  });
}

}  // namespace dpm

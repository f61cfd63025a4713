#include "control/messages/message_stream.hpp"

#include <array>
#include <utility>

#include "os/net/asio.hpp"
#include "os/net/timer.hpp"

namespace dpm {

// Two coroutines at most: one reads while the stream lives, one writes while something is queued. Each holds what it
// works on, and ends when the socket is closed.
class MessageStream::Conversation : public std::enable_shared_from_this<Conversation> {
 public:
  Conversation(asio::io_context& context, UniqueFd socket, Handlers handlers, std::chrono::milliseconds frame_patience)
      : context_(context),
        socket_(context, asio::local::stream_protocol(), socket.release()),
        handlers_(std::move(handlers)),
        frame_patience_(frame_patience),
        resumed_(context),
        frame_timer_(context),
        close_timer_(context) {
    socket_.non_blocking(true);
  }

  void begin() { spawn(context_, read(shared_from_this())); }

  Result<void> send(const control::ControlMessage& message) {
    if (ended_ || closing_) return {};
    const bool was_idle = queued_bytes() == 0;
    if (auto done = control::append_message(outgoing_, message); !done) return done;
    if (was_idle && write_some()) spawn(context_, write(shared_from_this()));
    return {};
  }

  std::size_t queued_bytes() const { return outgoing_.size() - sent_; }
  bool has_ended() const { return ended_; }

  void set_reading(bool on) {
    if (ended_ || reading_ == on) return;
    reading_ = on;
    if (on) {
      resumed_.cancel();
    } else if (!std::exchange(watched_, true)) {
      spawn(context_, watch_while_paused(shared_from_this()));
    }
  }

  void close_when_sent(const std::string& why) {
    if (ended_ || closing_) return;
    closing_ = true;
    set_reading(false);
    if (queued_bytes() == 0) return end(why, false);
    close_timer_.start(std::chrono::seconds(1), [this, why] { end(why, false); });
  }

  void end(const std::string& why, bool broken) {
    if (ended_) return;
    close();
    asio::post(context_, [self = shared_from_this(), why, broken] {
      if (!self->abandoned_) self->handlers_.on_end(why, broken);
    });
  }

  void abandon() {
    abandoned_ = true;
    close();
  }

 private:
  asio::awaitable<void> read([[maybe_unused]] std::shared_ptr<Conversation> self) {
    while (!ended_) {
      take_frames();
      if (ended_) break;
      if (reading_) {
        const bool is_open = co_await until_ready(socket_, asio::socket_base::wait_read);
        if (!is_open) co_return;
        if (reading_) read_some();
      } else {
        resumed_.expires_at(asio::steady_timer::time_point::max());
        AsioError ignored;
        co_await resumed_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
      }
    }
  }

  // An end that is gone is seen at once, although what it has said last waits.
  asio::awaitable<void> watch_while_paused([[maybe_unused]] std::shared_ptr<Conversation> self) {
    co_await until_ready(socket_, asio::socket_base::wait_error);
    watched_ = false;
    if (!reading_) end("the other end is gone", false);
  }

  void read_some() {
    std::array<char, 64 * 1024> part;
    AsioError failed;
    const std::size_t length = socket_.read_some(asio::buffer(part), failed);
    if (failed == asio::error::would_block || failed == asio::error::interrupted) return;
    if (failed) return end(frames_.is_inside_frame() ? "it was cut off in a message" : "the other end closed", false);
    frames_.feed({part.data(), length});
  }

  void take_frames() {
    while (!ended_ && reading_) {
      auto frame = frames_.next();
      if (!frame) return end(frame.error().what, true);
      if (!*frame) return await_frame_end();
      frame_timer_.cancel();
      auto message = control::decode_message(**frame);
      if (!message) {
        // It is told why, under the number of no request.
        (void)send(control::Reply{0, control::Refused{message.error().what}});
        return end(message.error().what, true);
      }
      handlers_.on_message(*std::move(message));
    }
  }

  void await_frame_end() {
    if (!frames_.is_inside_frame()) return frame_timer_.cancel();
    if (frame_timer_.is_running()) return;
    frame_timer_.start(frame_patience_, [this] {
      // While we do not read, it is not the other end that is slow.
      reading_ ? end("a message was begun and not ended in time", true) : await_frame_end();
    });
  }

  asio::awaitable<void> write([[maybe_unused]] std::shared_ptr<Conversation> self) {
    for (bool more = true; more;) {
      const bool is_open = co_await until_ready(socket_, asio::socket_base::wait_write);
      more = is_open && write_some();
    }
  }

  // True if more is to be written once the socket takes it. That the other end is gone is seen where it is read.
  bool write_some() {
    if (ended_) return false;
    AsioError failed;
    while (queued_bytes() > 0 && !failed)
      sent_ += socket_.write_some(asio::buffer(outgoing_.data() + sent_, queued_bytes()), failed);
    forget_sent();
    if (queued_bytes() > 0) return failed == asio::error::would_block || failed == asio::error::interrupted;
    if (closing_) {
      end("closed", false);
    } else if (handlers_.on_drained) {
      asio::post(context_, [self = shared_from_this()] {
        if (!self->ended_ && self->queued_bytes() == 0) self->handlers_.on_drained();
      });
    }
    return false;
  }

  void forget_sent() {
    constexpr std::size_t kMoved = 1024 * 1024;
    const bool is_drained = queued_bytes() == 0;
    if (!is_drained && sent_ <= kMoved) return;
    outgoing_.erase(0, std::exchange(sent_, 0));
    if (is_drained && outgoing_.capacity() > kMoved) outgoing_.shrink_to_fit();
  }

  void close() {
    ended_ = true;
    frame_timer_.cancel();
    close_timer_.cancel();
    resumed_.cancel();
    AsioError ignored;
    socket_.shutdown(asio::socket_base::shutdown_both, ignored);
    socket_.close(ignored);
  }

  asio::io_context& context_;
  asio::local::stream_protocol::socket socket_;
  Handlers handlers_;
  const std::chrono::milliseconds frame_patience_;
  FrameReader frames_;
  std::string outgoing_;
  std::size_t sent_ = 0;  // of outgoing_
  bool reading_ = true, ended_ = false, closing_ = false;
  bool watched_ = false;        // by watch_while_paused()
  bool abandoned_ = false;      // its owner is gone
  asio::steady_timer resumed_;  // cancelled when reading is on again
  Timer frame_timer_, close_timer_;
};

MessageStream::MessageStream(asio::io_context& context, UniqueFd socket, Handlers handlers,
                             std::chrono::milliseconds frame_patience)
    : conversation_(std::make_shared<Conversation>(context, std::move(socket), std::move(handlers), frame_patience)) {
  conversation_->begin();
}

MessageStream::~MessageStream() { conversation_->abandon(); }

Result<void> MessageStream::send(const control::ControlMessage& message) { return conversation_->send(message); }
std::size_t MessageStream::queued_bytes() const { return conversation_->queued_bytes(); }
void MessageStream::set_reading(bool on) { conversation_->set_reading(on); }
void MessageStream::close_when_sent(const std::string& why) { conversation_->close_when_sent(why); }
void MessageStream::drop(const std::string& why) { conversation_->end(why, true); }
bool MessageStream::has_ended() const { return conversation_->has_ended(); }

}  // namespace dpm

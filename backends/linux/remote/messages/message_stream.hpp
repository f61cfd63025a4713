// Control messages over a connected socket, in an event loop.
//
// The other end is not trusted: who sends what is no message, or begins a frame and does not end it in time, is dropped
// with the reason. What is sent waits in memory until the other end takes it; whoever sends much looks at
// queued_bytes() and waits for on_drained.
#pragma once

#include <functional>
#include <string>

#include "backends/linux/remote/messages/event_loop.hpp"
#include "backends/linux/remote/protocol/control_codec.hpp"

namespace dpm {

class MessageStream {
 public:
  struct Handlers {
    std::function<void(control::ControlMessage)> on_message;
    // Once; `broken` if the other end broke the protocol, otherwise it closed. The stream may be destroyed in it.
    std::function<void(const std::string& why, bool broken)> on_end;
    std::function<void()> on_drained;  // nothing is queued any more; may be empty
  };
  // How long a frame may take to come, from its first byte to its last.
  static constexpr std::chrono::seconds kFramePatience{60};

  MessageStream(EventLoop& loop, UniqueFd socket, Handlers handlers);
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;
  ~MessageStream();

  // A message that cannot be sent (too long) is an error; one that the other end does not take any more is none.
  Result<void> send(const control::ControlMessage& message);
  std::size_t queued_bytes() const { return outgoing_.size() - sent_; }

  // While it is off nothing is read, so that the other end has to wait.
  void set_reading(bool on);
  // Ends the stream once what is queued is sent, or a second later.
  void close_when_sent(const std::string& why);
  bool has_ended() const { return ended_; }

  int fd() const { return socket_.get(); }

 private:
  void on_ready(std::uint32_t events);
  void read();
  void take_frames();
  void write();
  void await_frame_end();
  void update_interest();
  void end(const std::string& why, bool broken);

  EventLoop& loop_;
  UniqueFd socket_;
  Handlers handlers_;
  FrameReader frames_;
  std::string outgoing_;
  std::size_t sent_ = 0;  // of outgoing_
  bool reading_ = true, ended_ = false, closing_ = false;
  std::uint32_t interest_ = 0;
  EventLoop::TimerId frame_timer_ = 0, close_timer_ = 0;
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace dpm

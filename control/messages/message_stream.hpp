// Control messages over a connected UNIX socket.
//
// The other end is not trusted: if it sends anything but messages, or does not complete a frame in time, the stream ends
// with the reason. Messages to it wait in memory until it takes them; an owner that sends much checks queued_bytes() and
// waits for on_drained.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "control/protocol/control_codec.hpp"
#include "os/net/io_context.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class MessageStream {
 public:
  struct Handlers {
    std::function<void(control::ControlMessage)> on_message;
    // Once; `broken` if the other end broke the protocol, otherwise it closed. The stream may be destroyed in it.
    std::function<void(const std::string& why, bool broken)> on_end;
    std::function<void()> on_drained;  // the queue is empty; the handler is optional
  };
  // How long a frame may take, from its first byte to its last.
  static constexpr std::chrono::milliseconds kFramePatience{60'000};

  MessageStream(asio::io_context& context, UniqueFd socket, Handlers handlers,
                std::chrono::milliseconds frame_patience = kFramePatience);
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;
  ~MessageStream();  // no handler is called any more

  // An error if the message is too long. After the end of the stream, messages are dropped without an error.
  Result<void> send(const control::ControlMessage& message);
  std::size_t queued_bytes() const;

  // While reading is off, the other end has to wait.
  void set_reading(bool on);
  // Ends the stream when the queue has been sent, or a second later.
  void close_when_sent(const std::string& why);
  // Ends the stream at once: the other end broke the protocol.
  void drop(const std::string& why);
  bool has_ended() const;

 private:
  class Conversation;
  std::shared_ptr<Conversation> conversation_;  // shared with the coroutines that read and write
};

}  // namespace dpm

// Control messages over a connected UNIX socket.
//
// The other end is not trusted: one that sends what is not a message, or begins a frame and does not end it in time, is
// dropped with the reason. What is sent waits in memory until the other end takes it; an owner that sends much looks at
// queued_bytes() and waits for on_drained.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "backends/linux/remote/protocol/control_codec.hpp"
#include "backends/linux/transport/net/io_context.hpp"
#include "os/unique_fd.hpp"

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
  static constexpr std::chrono::milliseconds kFramePatience{60'000};

  MessageStream(asio::io_context& context, UniqueFd socket, Handlers handlers,
                std::chrono::milliseconds frame_patience = kFramePatience);
  MessageStream(const MessageStream&) = delete;
  MessageStream& operator=(const MessageStream&) = delete;
  ~MessageStream();  // no handler is called any more

  // A message that cannot be sent (too long) is an error; one that the other end does not take any more is none.
  Result<void> send(const control::ControlMessage& message);
  std::size_t queued_bytes() const;

  // While it is off nothing is read, so that the other end has to wait.
  void set_reading(bool on);
  // Ends the stream once what is queued is sent, or a second later.
  void close_when_sent(const std::string& why);
  // Ends the stream at once: the other end broke the protocol.
  void drop(const std::string& why);
  bool has_ended() const;

 private:
  class Conversation;
  std::shared_ptr<Conversation> conversation_;  // shared with the coroutines that read and write
};

}  // namespace dpm

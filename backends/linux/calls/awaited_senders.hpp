// RECEIVEs of datagrams whose SEND has not been seen yet. The kernel tells of a send when the datagram is in its receiver's queue
// already, and a receiver on another processor may be faster. The RECEIVE waits for the SEND, which names the thread.
#pragma once

#include <cstdint>
#include <deque>

#include "backends/linux/calls/metered_thread.hpp"

namespace dpm {

struct AwaitedSender {
  MeteredThread* receiver = nullptr;
  std::uint64_t event = 0;
  ChannelId channel;
  std::uint64_t socket = 0;  // of the sender
  std::int64_t since_ns = 0;
};

class AwaitedSenders {
 public:
  // Where programs send that are not metered, no SEND comes.
  static constexpr std::size_t kAwaitedMax = 256;

  void add(const AwaitedSender& awaited);
  // The socket has sent on this channel. True if the datagram has been received before.
  bool sent(ChannelId channel, std::uint64_t socket, ProcessId by);
  void give_up_old(std::int64_t since_ns);
  // Nothing more will be known about the thread.
  void leave(const MeteredThread& receiver);

 private:
  static void end_wait(const AwaitedSender& awaited);

  std::deque<AwaitedSender> awaited_;  // the oldest first
};

}  // namespace dpm

// How much the pipes and UNIX sockets of live programs hold in a replay: a sender that has filled one waits there until its
// receiver has taken enough.
//
//   sender    S----S----S - - - - - -+--S        the third message does not fit: write() returns when it does
//   buffer    a    ab   abc          bc
//   receiver            ------------R            takes a
//
// A message is in the buffer from its SEND to its RECEIVE, which is where its first byte is taken. One that does not fit is on
// its way at once, like the bytes of it that the kernel takes first; its sender goes on when all that is in the buffer fits again,
// or nothing is left.
//
// Traces do not have the sizes: they are those that Linux gives to a pipe and to a UNIX socket. The buffers of TCP grow with
// their use, to megabytes, and have no limit here; neither do channels of simulated systems.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "analysis/history/history.hpp"

namespace dpm {

class StreamBuffers {
 public:
  explicit StreamBuffers(const History& history);

  bool empty() const { return sizes_.empty(); }
  // Call before each replay.
  void begin();
  void sent(const HistoryEvent& send);
  // Whether the process that has sent waits now. What lets it go on is received() or release().
  bool stops(std::uint32_t process, const HistoryEvent& send);
  // The processes that go on because this message was taken.
  std::vector<std::uint32_t> received(const HistoryEvent& send);
  // Nothing else can happen: one of the processes that wait goes on.
  std::optional<std::uint32_t> release();

 private:
  struct Buffer {
    std::uint64_t bytes = 0;
    std::vector<std::uint32_t> waiting;
  };
  bool is_over(std::uint32_t channel, const Buffer& buffer) const { return buffer.bytes > sizes_[channel]; }
  std::uint64_t size_of(const HistoryEvent& send) const {
    return send.channel < sizes_.size() ? sizes_[send.channel] : 0;
  }

  std::vector<std::uint64_t> sizes_;  // by channel; 0: has no limit. Empty: none has
  std::unordered_map<std::uint32_t, Buffer> buffers_;
};

}  // namespace dpm

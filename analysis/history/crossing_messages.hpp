// Messages between processes of different parts of a divided trace. Both ends are known to be elsewhere when they come, so they are
// not looked for here, but listed in their order. The part of the receiver joins the two lists: the messages of one sender on one channel
// mostly have increasing numbers, and arrive in that order.
#pragma once

#include <cstdint>
#include <vector>

#include "analysis/history/message_matcher.hpp"
#include "model/divided_sink.hpp"
#include "model/ids.hpp"

namespace dpm {

// An end of a message whose other end is in another part.
struct OpenEnd {
  MessageKey key;
  std::int64_t time_ns = 0;
  std::uint32_t process = 0, index = 0;
  MachineId machine;
  bool receives = false, inferred = false;
};

class CrossingMessages {
 public:
  void divide(const Shares& shares) {
    shares_ = shares;
    sends_.resize(shares.parts());
    receives_.resize(shares.parts());
  }

  bool is_elsewhere(ProcessId process) const {
    const std::uint32_t part = shares_.part_of(process);
    return part < sends_.size() && part != shares_.own();
  }

  void add(ProcessId other, const OpenEnd& end) {
    (end.receives ? receives_ : sends_)[shares_.part_of(other)].push_back(end);
  }

  std::vector<OpenEnd>& sends_to(std::uint32_t part) { return sends_[part]; }
  std::vector<OpenEnd>& receives_from(std::uint32_t part) { return receives_[part]; }

 private:
  Shares shares_;
  std::vector<std::vector<OpenEnd>> sends_, receives_;  // by the other part; none: the trace is not divided
};

// For each of `sends` the place of its RECEIVE in `receives`, or kNotReceived.
struct JoinedLists {
  static constexpr std::uint32_t kNotReceived = 0xffffffffu;

  std::vector<std::uint32_t> receive_of;  // by SEND
  std::vector<bool> is_sent;              // by RECEIVE
  bool is_clear = true;                   // false: an end came twice
};
JoinedLists join_lists(const std::vector<OpenEnd>& sends, const std::vector<OpenEnd>& receives);

}  // namespace dpm

// Messages between processes of different parts of a divided trace. Both ends are known to be elsewhere when they come, so they are
// not looked for here, but listed in lanes: one for each process, other process and channel. The part of the receiver joins the lanes
// of both: the messages of one sender on one channel mostly have increasing numbers, and arrive in that order.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "analysis/history/end_lane.hpp"
#include "analysis/history/message_matcher.hpp"
#include "model/divided_sink.hpp"
#include "model/ids.hpp"

namespace dpm {

// An end of a message whose other end has not been seen.
struct OpenEnd {
  MessageKey key;
  std::int64_t time_ns = 0;
  std::uint32_t process = 0, index = 0;
  MachineId machine;
  bool receives = false, inferred = false;
};

// The SENDs of one process on one channel to processes of one part, or the RECEIVEs of one process of such messages.
struct CrossingLane {
  std::uint32_t sender = 0, channel = 0;
  std::uint32_t process = 0;  // whose events they are
  EndLane ends;
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

  void add_send(ProcessId sender, ProcessId receiver, ChannelId channel, const LaneEnd& end) {
    sends_[shares_.part_of(receiver)].add(sender, channel, sender, end);
  }
  void add_receive(ProcessId sender, ProcessId receiver, ChannelId channel, const LaneEnd& end) {
    receives_[shares_.part_of(sender)].add(sender, channel, receiver, end);
  }

  std::vector<CrossingLane>& sends_to(std::uint32_t part) { return sends_[part].lanes; }
  std::vector<CrossingLane>& receives_from(std::uint32_t part) { return receives_[part].lanes; }

 private:
  struct Key {
    std::uint32_t sender, channel, process;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Hash {
    std::size_t operator()(const Key& key) const {
      const std::uint64_t both = std::uint64_t{key.sender} << 32 | key.process;
      const std::uint64_t mixed = (both ^ std::uint64_t{key.channel} * 0xc2b2ae3d27d4eb4full) * 0x9e3779b97f4a7c15ull;
      return mixed ^ mixed >> 32;
    }
  };
  struct Lanes {
    std::vector<CrossingLane> lanes;
    std::unordered_map<Key, std::uint32_t, Hash> lane_of;

    void add(ProcessId sender, ChannelId channel, ProcessId process, const LaneEnd& end) {
      const auto next = static_cast<std::uint32_t>(lanes.size());
      const auto [lane, is_new] = lane_of.try_emplace({sender.value, channel.value, process.value}, next);
      if (is_new) lanes.push_back({sender.value, channel.value, process.value, {}});
      lanes[lane->second].ends.add(end);
    }
  };

  Shares shares_;
  std::vector<Lanes> sends_, receives_;  // by the other part; none: the trace is not divided
};

// The numbers of the SENDs and of the RECEIVEs of one sender on one channel, in any order: for each SEND the place of its RECEIVE, or
// kNotReceived. Fast where both are in order.
struct JoinedLists {
  static constexpr std::uint32_t kNotReceived = 0xffffffffu;

  std::vector<std::uint32_t> receive_of;  // by SEND
  std::vector<bool> is_sent;              // by RECEIVE
  bool is_clear = true;                   // false: an end came twice
};
JoinedLists join_lists(const std::vector<std::uint64_t>& sends, const std::vector<std::uint64_t>& receives);

}  // namespace dpm

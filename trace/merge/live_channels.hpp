// The channels of a union that may still change: what is known of each, and how many inputs describe it and have not
// closed it. What becomes known is added to a TraceGrowth.
//
// A channel that all its describers have closed is no longer needed once both its ends are known. With one end known,
// another meter may still describe the other: of these the last kWaitingMax are kept.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <vector>

#include "model/trace_growth.hpp"

namespace dpm {

class LiveChannels {
 public:
  static constexpr std::size_t kWaitingMax = 1 << 14;

  explicit LiveChannels(TraceGrowth& growth) : growth_(growth) {}

  ChannelId add(const ChannelInfo& described);
  // An input has described it. `described` may fill in what was not known.
  void describe(ChannelId channel, const ChannelInfo& described);
  void learn(ChannelId channel, const ChannelInfo& described);
  void owner_is(ChannelId channel, ProcessId owner);
  void end_is(ChannelId channel, bool sending, const ChannelEnd& end);
  // An input will add nothing more about it; `for_good`: because it is closed. Returns the channels that are now
  // forgotten.
  std::vector<ChannelId> close(ChannelId channel, bool for_good);

  bool contains(ChannelId channel) const { return known_.contains(channel.value); }
  const ChannelInfo& operator[](ChannelId channel) const { return known_.at(channel.value).info; }
  std::vector<ChannelInfo> all() const;  // in the order of their ids
  std::uint32_t given_out() const { return channels_; }
  std::size_t size() const { return known_.size(); }

 private:
  struct Known {
    ChannelInfo info;
    std::uint32_t describers = 0;
    bool still_open = false;  // a describer left without having seen it closed
  };

  TraceGrowth& growth_;
  std::uint32_t channels_ = 0;  // assigned
  std::map<std::uint32_t, Known> known_;
  std::deque<ChannelId> waiting_;
};

}  // namespace dpm

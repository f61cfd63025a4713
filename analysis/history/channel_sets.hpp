// Whether a channel is in one of a trace's channel sets. Most sets are small (a CALL waits for its own reply link) and
// are searched linearly; the others are sorted once.
#pragma once

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/trace_info.hpp"

namespace dpm {

class ChannelSets {
 public:
  // `info` must outlive it.
  explicit ChannelSets(const TraceInfo& info) : sets_(info.channel_sets) {
    for (std::uint32_t i = 0; i < sets_.size(); ++i) {
      if (sets_[i].size() <= kSmallSet) continue;
      auto& sorted = large_[i] = sets_[i];
      std::sort(sorted.begin(), sorted.end());
    }
  }

  bool holds(std::uint32_t set, ChannelId channel) const {
    const auto& channels = sets_[set];
    if (channels.size() <= kSmallSet) return std::find(channels.begin(), channels.end(), channel) != channels.end();
    const auto& sorted = large_.at(set);
    return std::binary_search(sorted.begin(), sorted.end(), channel);
  }

 private:
  static constexpr std::size_t kSmallSet = 16;

  const std::vector<std::vector<ChannelId>>& sets_;
  std::unordered_map<std::uint32_t, std::vector<ChannelId>> large_;
};

}  // namespace dpm

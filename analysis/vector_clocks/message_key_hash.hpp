// For tables by message.
#pragma once

#include <cstddef>

#include "analysis/history/message_matcher.hpp"

namespace dpm {

struct HashOfMessageKey {
  std::size_t operator()(const MessageKey& key) const {
    return (key.sequence * 0x9e3779b97f4a7c15 ^ key.sender) * 0x9e3779b97f4a7c15 ^ key.channel;
  }
};

}  // namespace dpm

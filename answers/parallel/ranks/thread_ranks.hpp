// Workers that are threads of this process.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>

#include "answers/parallel/ranks/ranks.hpp"

namespace dpm {

class ThreadRanks {
 public:
  // Runs `work` in `count` threads, with a number for each; the first is the caller's. Returns when all have ended.
  static void run(std::uint32_t count, const std::function<void(Ranks&)>& work);

 private:
  struct Message {
    std::uint32_t from = 0;
    Bytes bytes;
  };
  struct Box {
    std::mutex mutex;
    std::condition_variable is_filled;
    std::deque<Message> messages;
  };
  class Member;
};

}  // namespace dpm

// Work that takes longer than an answer may, one piece after the other, on a thread of its own.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace dpm::cli {

class BackgroundWork {
 public:
  static constexpr std::size_t kWaitingMost = 16;

  BackgroundWork();
  ~BackgroundWork();  // finishes the piece that is under way, and drops the others

  // False: too many pieces wait.
  bool post(std::function<void()> piece);

 private:
  void work(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any news_;
  std::deque<std::function<void()>> pieces_;
  std::jthread thread_;
};

}  // namespace dpm::cli

// While it lives, some signals call a function instead of ending this process. The threads that are to be spared must
// have been started after it.
#pragma once

#include <signal.h>

#include <functional>
#include <thread>
#include <vector>

#include "backends/linux/kernel/unique_fd.hpp"

namespace dpm::cli {

class SignalWatch {
 public:
  // `on_signal` is called in a thread of its own.
  SignalWatch(const std::vector<int>& signals, std::function<void()> on_signal);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();

 private:
  void watch(const std::function<void()>& on_signal);

  sigset_t before_ = {};
  UniqueFd signals_, end_;
  std::thread thread_;
};

}  // namespace dpm::cli

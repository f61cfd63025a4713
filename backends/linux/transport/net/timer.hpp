// Tasks for later, in the thread that runs the io_context.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "backends/linux/transport/net/io_context.hpp"

namespace dpm {

// One task at a time. After cancel(), and after the timer is gone, nothing is called: a bare steady_timer may have its
// handler on the way already.
class Timer {
 public:
  explicit Timer(asio::io_context& context);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  // Instead of what it was started for before.
  void start(std::chrono::nanoseconds time, std::function<void()> task);
  void cancel();
  bool is_running() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Once, and not to be cancelled.
void after(asio::io_context& context, std::chrono::nanoseconds time, std::function<void()> task);

// When the handlers that run now have returned: what they may not do themselves, such as destroying their object. From
// any thread.
void later(asio::io_context& context, std::function<void()> task);

}  // namespace dpm

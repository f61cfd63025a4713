// Tasks for later, in the thread that runs the io_context.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "os/net/io_context.hpp"

namespace dpm {

// One task at a time. After cancel() or destruction the task is never called. (A bare steady_timer may already have
// queued its handler.)
class Timer {
 public:
  explicit Timer(asio::io_context& context);
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer();

  // Replaces an earlier task that has not run.
  void start(std::chrono::nanoseconds time, std::function<void()> task);
  void cancel();
  bool is_running() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Calls `task` once; cannot be cancelled.
void after(asio::io_context& context, std::chrono::nanoseconds time, std::function<void()> task);

// Calls `task` after the running handlers have returned: for what they must not do themselves, such as destroying their
// object. From any thread.
void later(asio::io_context& context, std::function<void()> task);

}  // namespace dpm

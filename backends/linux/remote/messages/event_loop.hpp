// One thread that waits for descriptors and for times, and calls who asked for them. (epoll; a daemon that waits for a
// few hundred descriptors needs no more, and so nothing here needs a library.)
//
// Everything is called from run(), one after the other. What a handler does to other handlers, or to itself, counts at
// once: a descriptor that was forgotten is not called any more.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm {

class EventLoop {
 public:
  using Clock = std::chrono::steady_clock;
  using Ready = std::function<void(std::uint32_t events)>;
  using Task = std::function<void()>;
  using TimerId = std::uint64_t;  // 0: none

  EventLoop();
  EventLoop(const EventLoop&) = delete;
  EventLoop& operator=(const EventLoop&) = delete;

  // `events` as in epoll_ctl(2). The descriptor must be forgotten before it is closed.
  void watch(int fd, std::uint32_t events, Ready ready);
  void change(int fd, std::uint32_t events);
  void forget(int fd);

  TimerId after(Clock::duration time, Task task);
  void cancel(TimerId timer);
  // Called before anything is waited for again: what may not be done inside a handler, such as destroying its object.
  void later(Task task);

  void run();  // until stop()
  void stop() { stopped_ = true; }

 private:
  void run_tasks();
  int milliseconds_to_next_timer() const;

  UniqueFd epoll_;
  std::unordered_map<int, std::shared_ptr<Ready>> watched_;
  std::map<std::pair<Clock::time_point, TimerId>, Task> timers_;
  std::unordered_map<TimerId, Clock::time_point> due_;
  std::vector<Task> tasks_;
  TimerId next_timer_ = 1;
  bool stopped_ = false;
};

}  // namespace dpm

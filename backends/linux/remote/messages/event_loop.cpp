#include "backends/linux/remote/messages/event_loop.hpp"

#include <sys/epoll.h>

#include <algorithm>
#include <array>
#include <utility>

#include "model/check.hpp"

namespace dpm {

EventLoop::EventLoop() : epoll_(::epoll_create1(EPOLL_CLOEXEC)) { DPM_CHECK(epoll_); }

void EventLoop::watch(int fd, std::uint32_t events, Ready ready) {
  epoll_event event = {};
  event.events = events;
  event.data.fd = fd;
  DPM_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, fd, &event) == 0);
  watched_[fd] = std::make_shared<Ready>(std::move(ready));
}

void EventLoop::change(int fd, std::uint32_t events) {
  epoll_event event = {};
  event.events = events;
  event.data.fd = fd;
  DPM_CHECK(::epoll_ctl(epoll_.get(), EPOLL_CTL_MOD, fd, &event) == 0);
}

void EventLoop::forget(int fd) {
  if (watched_.erase(fd) != 0) ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, fd, nullptr);
}

EventLoop::TimerId EventLoop::after(Clock::duration time, Task task) {
  const TimerId timer = next_timer_++;
  const auto due = Clock::now() + time;
  due_.emplace(timer, due);
  timers_.emplace(std::pair(due, timer), std::move(task));
  return timer;
}

void EventLoop::cancel(TimerId timer) {
  const auto due = due_.find(timer);
  if (due == due_.end()) return;
  timers_.erase({due->second, timer});
  due_.erase(due);
}

void EventLoop::later(Task task) { tasks_.push_back(std::move(task)); }

void EventLoop::run_tasks() {
  while (!timers_.empty() && timers_.begin()->first.first <= Clock::now()) {
    const Task task = std::move(timers_.begin()->second);
    due_.erase(timers_.begin()->first.second);
    timers_.erase(timers_.begin());
    task();
  }
  while (!tasks_.empty()) {
    for (const auto& task : std::exchange(tasks_, {})) task();
  }
}

int EventLoop::milliseconds_to_next_timer() const {
  if (timers_.empty()) return -1;
  const auto left = timers_.begin()->first.first - Clock::now();
  const auto rounded_up = std::chrono::ceil<std::chrono::milliseconds>(left).count();
  return static_cast<int>(std::clamp<std::int64_t>(rounded_up, 0, 60'000));
}

void EventLoop::run() {
  std::array<epoll_event, 64> events;
  for (;;) {
    run_tasks();
    if (stopped_) return;
    const int count = ::epoll_wait(epoll_.get(), events.data(), events.size(), milliseconds_to_next_timer());
    // A number that is closed and given out again by one handler must not be taken for what it was by the next: such
    // handlers close in later(), after all of these.
    for (int i = 0; i < count; ++i) {
      const auto& event = events[static_cast<std::size_t>(i)];
      const auto found = watched_.find(event.data.fd);
      if (found == watched_.end()) continue;
      const std::shared_ptr<Ready> ready = found->second;
      (*ready)(event.events);
    }
  }
}

}  // namespace dpm

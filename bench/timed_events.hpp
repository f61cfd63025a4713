// Gives events times, which SyntheticEvents leaves out.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "model/event_source.hpp"

namespace dpm {

// About 50 microseconds from one to the next on each machine, as fast as they can be written. The machines' clocks agree.
class Timed : public EventSink {
 public:
  static std::int64_t span_ns(std::uint64_t events, std::size_t machines) {
    return static_cast<std::int64_t>(events * step_ns(machines));
  }

  explicit Timed(EventSink& next) : next_(next) {}
  void on_begin(const TraceInfo& info) override {
    step_ns_ = step_ns(info.machines.size());
    next_.on_begin(info);
  }
  void on_events(std::span<const Event> batch) override {
    batch_.assign(batch.begin(), batch.end());
    for (Event& event : batch_) {
      event.local_time = {static_cast<std::int64_t>(now_ns_ += step_ns_)};
      event.proc_time_ns /= 100;
    }
    next_.on_events(batch_);
  }
  void on_end(const LossReport& losses) override { next_.on_end(losses); }

 private:
  static std::uint64_t step_ns(std::size_t machines) { return 50'000 / std::max<std::size_t>(machines, 1); }

  EventSink& next_;
  std::uint64_t now_ns_ = 0, step_ns_ = 0;
  std::vector<Event> batch_;
};

// The time at which they are written, `events_per_s` of them. As a meter does, it has a tenth of a second's events written
// at once.
class Paced : public EventSink {
 public:
  Paced(EventSink& next, double events_per_s, std::function<void()> flush)
      : next_(next), events_per_s_(events_per_s), flush_(std::move(flush)) {}
  void on_begin(const TraceInfo& info) override {
    next_.on_begin(info);
    begin_ = flushed_ = Clock::now();
  }
  void on_events(std::span<const Event> batch) override {
    using Seconds = std::chrono::duration<double>;
    std::this_thread::sleep_until(
        begin_ + std::chrono::duration_cast<Clock::duration>(Seconds(static_cast<double>(written_) / events_per_s_)));
    written_ += batch.size();
    batch_.assign(batch.begin(), batch.end());
    const auto now = Clock::now();
    for (Event& event : batch_) {
      event.local_time = {now.time_since_epoch().count()};
      event.proc_time_ns /= 100;
    }
    next_.on_events(batch_);
    if (now - flushed_ < std::chrono::milliseconds(100)) return;
    flush_();
    flushed_ = now;
  }
  void on_end(const LossReport& losses) override { next_.on_end(losses); }

 private:
  using Clock = std::chrono::steady_clock;

  EventSink& next_;
  double events_per_s_;
  std::function<void()> flush_;
  Clock::time_point begin_, flushed_;
  std::uint64_t written_ = 0;
  std::vector<Event> batch_;
};

}  // namespace dpm

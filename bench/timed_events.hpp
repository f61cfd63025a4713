// Gives events times, which SyntheticEvents leaves out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "model/event_source.hpp"

namespace dpm {

// About 50 microseconds from one to the next on each machine, as fast as they can be written.
class Timed : public EventSink {
 public:
  explicit Timed(EventSink& next) : next_(next) {}
  void on_begin(const TraceInfo& info) override {
    now_ns_.resize(info.machines.size());
    next_.on_begin(info);
  }
  void on_events(std::span<const Event> batch) override {
    batch_.assign(batch.begin(), batch.end());
    for (Event& event : batch_) {
      event.local_time = {now_ns_[event.machine.value] += 50'000};
      event.proc_time_ns /= 100;
    }
    next_.on_events(batch_);
  }
  void on_end(const LossReport& losses) override { next_.on_end(losses); }

 private:
  EventSink& next_;
  std::vector<std::int64_t> now_ns_;
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

// Passes records from the threads that serve calls to the thread that feeds the sink. It is bounded: when the sink is
// too slow, the program waits for it, up to `patience`. After that events are dropped and counted, because a program
// must not stand still for its meter.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>

#include "backends/linux/calls/record_output.hpp"
#include "model/time.hpp"

namespace dpm {

class RecordQueue {
 public:
  RecordQueue(std::size_t events_max, Duration patience) : events_max_(events_max), patience_(patience) {}

  void push(RecordBatch batch);
  void close();

  // Waits for a batch. Nothing once the queue is closed and empty.
  std::optional<RecordBatch> pop();

  std::uint64_t dropped() const;

 private:
  const std::size_t events_max_;
  const Duration patience_;
  mutable std::mutex mutex_;
  std::condition_variable filled_, emptied_;
  std::deque<RecordBatch> batches_;
  std::size_t events_ = 0;
  std::uint64_t dropped_ = 0;
  bool closed_ = false;
};

}  // namespace dpm

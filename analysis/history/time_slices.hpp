// One core whose processes run in time slices: each runs until it has no more to do or its time slice is over, and a
// process that becomes ready goes to the end of the queue. Schedulers for real time do this (SCHED_RR); short time
// slices approach equal shares.
#pragma once

#include <cstdint>
#include <deque>

#include "analysis/history/indexed_heap.hpp"

namespace dpm {

class TimeSlices {
 public:
  explicit TimeSlices(double slice_ns) : slice_ns_(slice_ns), left_ns_(slice_ns) {}

  bool is_idle() const { return queue_.empty(); }

  double next_completion_ns() const {
    if (queue_.empty()) return IndexedHeap::kNever;
    if (queue_.front().work_ns <= left_ns_) return at_ns_ + queue_.front().work_ns;
    TimeSlices ahead = *this;  // time slices are long: rarely
    ahead.run_to_completion();
    return ahead.at_ns_;
  }

  std::uint32_t first() const { return queue_.front().process; }

  void advance_to_completion(double now_ns) {
    run_to_completion();
    at_ns_ = now_ns;
  }

  void add(double now_ns, std::uint32_t process, double work_ns) {
    advance(now_ns);
    queue_.push_back({process, work_ns});
  }

  void finish() {
    queue_.pop_front();
    left_ns_ = slice_ns_;
  }
  void go_on(double work_ns) { queue_.front().work_ns = work_ns; }

 private:
  struct Running {
    std::uint32_t process = 0;
    double work_ns = 0;
  };

  void run_to_completion() {
    while (queue_.front().work_ns > left_ns_) next_slice();
    run(queue_.front().work_ns);
  }

  void advance(double now_ns) {
    while (!queue_.empty() && at_ns_ + left_ns_ <= now_ns && queue_.front().work_ns > left_ns_) next_slice();
    if (!queue_.empty() && now_ns > at_ns_) run(now_ns - at_ns_);
    at_ns_ = now_ns;
  }

  void next_slice() {
    run(left_ns_);
    queue_.push_back(queue_.front());
    finish();
  }

  void run(double ns) {
    queue_.front().work_ns -= ns;
    left_ns_ -= ns;
    at_ns_ += ns;
  }

  double slice_ns_, left_ns_, at_ns_ = 0;
  std::deque<Running> queue_;
};

}  // namespace dpm

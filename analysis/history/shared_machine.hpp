// One machine of c cores shared equally by its n runnable processes, in virtual time: each runs at the rate min(1, c /
// n), V grows by that, and a process that needs w is done when V has grown by w. While there is a core for each, whole
// nanoseconds stay exact; V starts again at 0 whenever the machine falls idle. Alternatively, on one core, its
// processes run in time slices (time_slices.hpp). With other load (other_load.hpp), V grows by what the others leave.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "analysis/history/indexed_heap.hpp"
#include "analysis/history/other_load.hpp"
#include "analysis/history/time_slices.hpp"

namespace dpm {

class SharedMachine {
 public:
  // `slice_ns` 0: equal shares. `others`, or none, outlives the machine; time slices know no others.
  void clear(std::uint32_t cores, double slice_ns, const OtherLoad* others = nullptr) {
    slices_.reset();
    rate_ = SlowedRate(others, cores);
    if (slice_ns > 0 && cores == 1) slices_.emplace(slice_ns);
    heap_.clear();
    virtual_ns_ = at_ns_ = 0;
    cores_ = cores;
  }

  // Time since its last process was done, or since the beginning.
  double idle_ns(double now_ns) const { return now_ns - at_ns_; }
  bool is_idle() const { return slices_ ? slices_->is_idle() : heap_.empty(); }

  double next_completion_ns() const {
    if (slices_) return slices_->next_completion_ns();
    if (heap_.empty()) return IndexedHeap::kNever;
    const double work_ns = heap_.front().virtual_finish_ns - virtual_ns_;
    if (!rate_.is_constant()) return rate_.end_ns(at_ns_, work_ns, heap_.size());
    return at_ns_ + work_ns * slowdown();
  }

  // The process that finishes next; it stays on the machine until finish() or go_on().
  std::uint32_t first() const { return slices_ ? slices_->first() : heap_.front().process; }

  // Advances the time to the next completion.
  void advance_to_completion(double now_ns) {
    at_ns_ = now_ns;
    if (slices_) return slices_->advance_to_completion(now_ns);
    virtual_ns_ = heap_.front().virtual_finish_ns;
  }

  void add(double now_ns, std::uint32_t process, double work_ns) {
    if (slices_) return slices_->add(now_ns, process, work_ns);
    if (heap_.empty()) {
      virtual_ns_ = 0;
    } else if (!rate_.is_constant()) {
      virtual_ns_ += rate_.work_ns(at_ns_, now_ns, heap_.size());
    } else {
      virtual_ns_ += (now_ns - at_ns_) / slowdown();
    }
    at_ns_ = now_ns;
    heap_.push_back({});
    rise(heap_.size() - 1, {virtual_ns_ + work_ns, process});
  }

  // Call after advance_to_completion(): the first process is done, or has more to do.
  void finish() {
    if (slices_) return slices_->finish();
    const Running last = heap_.back();
    heap_.pop_back();
    if (!heap_.empty()) sink(last);
  }
  void go_on(double work_ns) {
    if (slices_) return slices_->go_on(work_ns);
    sink({virtual_ns_ + work_ns, heap_.front().process});
  }

 private:
  struct Running {
    double virtual_finish_ns = 0;
    std::uint32_t process = 0;

    friend bool operator<(const Running& a, const Running& b) {
      return a.virtual_finish_ns < b.virtual_finish_ns ||
             (a.virtual_finish_ns == b.virtual_finish_ns && a.process < b.process);
    }
  };

  double slowdown() const { return std::max(1.0, static_cast<double>(heap_.size()) / cores_); }

  void rise(std::size_t at, const Running running) {
    while (at > 0 && running < heap_[(at - 1) / 2]) {
      heap_[at] = heap_[(at - 1) / 2];
      at = (at - 1) / 2;
    }
    heap_[at] = running;
  }

  // Sifts down from the top.
  void sink(const Running running) {
    std::size_t at = 0;
    for (std::size_t child = 1; child < heap_.size(); child = 2 * at + 1) {
      if (child + 1 < heap_.size() && heap_[child + 1] < heap_[child]) ++child;
      if (!(heap_[child] < running)) break;
      heap_[at] = heap_[child];
      at = child;
    }
    heap_[at] = running;
  }

  std::vector<Running> heap_;
  double virtual_ns_ = 0, at_ns_ = 0;
  std::uint32_t cores_ = 1;
  SlowedRate rate_;
  std::optional<TimeSlices> slices_;
};

}  // namespace dpm

// What other computations take of a machine, over time (thesis 5.2.3: "as the load on each machine changes over time, this
// effect can be factored into the analysis").
//
//     others   2      +-----+                 of c cores that n processes of the replay share with k others,
//              1  +---+     |                 each process gets one c-th of n + k: its work takes
//              0 -+         +---------        max(1, (n + k) / c) times as long
//
// Where instead the time is known that the processes waited for others to leave the CPU, each second of their work takes that
// much longer, whatever the number of others is.
//
// A replay that has it takes the time that the run took, so its time is the time of the machine's clock.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <vector>

namespace dpm {

struct OtherLoad {
  // From a time on, until the next step; the first also holds before. Increasing.
  struct Step {
    double from_ns = 0;            // of the replay
    double processes = 0;          // ready or running
    double waited_per_cpu_ns = 0;  // for others, per nanosecond of work
  };
  std::vector<Step> steps;

  // The number of the step at `at_ns`, from step `hint` on: times mostly increase.
  std::size_t step_at(double at_ns, std::size_t hint) const {
    if (hint >= steps.size() || steps[hint].from_ns > at_ns) hint = 0;
    while (hint + 1 < steps.size() && steps[hint + 1].from_ns <= at_ns) ++hint;
    return hint;
  }
  double end_of(std::size_t step) const {
    return step + 1 < steps.size() ? steps[step + 1].from_ns : std::numeric_limits<double>::infinity();
  }
};

// The rate of work on one machine with such a load.
class SlowedRate {
 public:
  explicit SlowedRate(const OtherLoad* load = nullptr, double cores = 1) : load_(load), cores_(cores) {}

  bool is_constant() const { return load_ == nullptr || load_->steps.empty(); }

  // How much each of `n` processes gets done from one time to another.
  double work_ns(double from_ns, double to_ns, std::size_t n) {
    double done = 0;
    step_ = load_->step_at(from_ns, step_);
    while (from_ns < to_ns) {
      const double until_ns = std::min(to_ns, load_->end_of(step_));
      done += (until_ns - from_ns) / slowdown(n);
      from_ns = until_ns;
      if (from_ns < to_ns) ++step_;
    }
    return done;
  }

  // When each of them has got `work_ns` done.
  double end_ns(double from_ns, double work_ns, std::size_t n) const {
    for (std::size_t step = load_->step_at(from_ns, step_);; ++step) {
      const double slow = slowdown(n, step), end_ns = load_->end_of(step);
      if (from_ns + work_ns * slow <= end_ns) return from_ns + work_ns * slow;
      work_ns -= (end_ns - from_ns) / slow;
      from_ns = end_ns;
    }
  }

 private:
  double slowdown(std::size_t n, std::size_t step) const {
    const OtherLoad::Step& others = load_->steps[step];
    return std::max(1.0, (static_cast<double>(n) + others.processes) / cores_) + others.waited_per_cpu_ns;
  }
  double slowdown(std::size_t n) const { return slowdown(n, step_); }

  const OtherLoad* load_;
  double cores_;
  std::size_t step_ = 0;
};

}  // namespace dpm

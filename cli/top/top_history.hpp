// What was shown before: rates of the last periods, for curves. A process that ended before a period has none from then on,
// so that memory grows with the processes that run, and not with all that ever ran.
#pragma once

#include <deque>
#include <map>

#include "cli/top/rates.hpp"

namespace dpm::cli {

class TopHistory {
 public:
  static constexpr std::size_t kPeriodsMost = 512;  // more than any terminal has columns

  void add(const TopNumbers& numbers);

  using Curve = std::deque<Rates>;  // oldest first
  const Curve& all() const { return all_; }
  // Empty if the process has not been seen, or is gone.
  const Curve& of(ProcessId process) const;

 private:
  Curve all_;
  std::map<ProcessId, Curve> processes_;
};

}  // namespace dpm::cli

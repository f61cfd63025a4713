// Timers (timers.hpp) during a replay: when waits for an answer end, which answer comes in time that was late in the trace, and
// which repeated calls are left out because of that (retries.hpp).
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "analysis/history/replayed_process.hpp"
#include "analysis/history/sleeps.hpp"
#include "analysis/history/timers.hpp"

namespace dpm {

class ReplayedTimers {
 public:
  // Both must outlive it.
  ReplayedTimers(const Timers& timers, const Sleeps& sleeps)
      : timers_(timers), sleeps_(sleeps), empty_(timers.waits_ns.empty() && sleeps.before_ns.empty()) {}

  bool empty() const { return empty_; }
  void begin();

  // When the wait or the sleep before the event at the cursor is over, the first time that this is asked there; nothing where no timer is.
  std::optional<double> end_of_wait(ReplayedProcess& process, double now_ns) const;

  // Whether the process stood before a retry that it does not need: the answer has come before its timer ended. It stands then
  // where it did after the answer to the retry.
  bool leave_out_retry(ReplayedProcess& process);
  // The ranges of events (from, to) that processes have left out.
  const std::vector<std::pair<std::uint32_t, std::uint32_t>>& left_out() const { return left_out_; }

  // Whether this SEND is that of an answer that came too late in the trace.
  bool is_late(std::uint32_t send) const { return !empty_ && timers_.late_answers.contains(send); }
  // It will be there at `at_ns`. Returns the event that its process goes on with.
  std::uint32_t send_late(std::uint32_t send, double at_ns);

  // How long after the call this answer is waited for; nothing if there is no limit, or the wait is over.
  std::optional<std::int64_t> limit_ns(std::uint32_t receive) const;
  // The answer has been taken, or is not waited for any more.
  void end_limit(std::uint32_t receive) {
    if (!empty_ && timers_.limits_ns.contains(receive)) limits_over_.insert(receive);
  }
  bool is_limit_over(std::uint32_t receive) const { return !limits_over_.empty() && limits_over_.contains(receive); }

 private:
  const Timers& timers_;
  const Sleeps& sleeps_;
  const bool empty_;
  std::unordered_map<std::uint32_t, double> late_ns_;  // by event that a timer is before: when the late answer comes
  std::unordered_set<std::uint32_t> limits_over_;      // RECEIVEs
  std::vector<std::pair<std::uint32_t, std::uint32_t>> left_out_;
};

}  // namespace dpm

// What an event says of its thread: the CPU time, and the times for which it was ready or waited for a disk. Between two of them it is not
// known when the thread ran and when it was ready: both are taken to be at the end, where a thread is that goes on with what has come,
// and mixed evenly.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/event.hpp"
#include "model/metered_cpu.hpp"

namespace dpm {

struct ThreadMoment {
  LocalTime time;
  std::uint64_t ran_ns = 0, ready_ns = 0, disk_ns = kNotMeasured;
};

// Gives the event the thread's times at its own time. `moments`: a sequence in order of time. Nothing changes outside of them.
template <typename Moments>
void fill_in_times(Event& event, const Moments& moments, bool was_acquired) {
  const auto after = std::lower_bound(moments.begin(), moments.end(), event.local_time,
                                      [](const ThreadMoment& moment, LocalTime time) { return moment.time < time; });
  if (after == moments.end() || (after == moments.begin() && after->time != event.local_time)) return;
  ThreadMoment at = *after;
  if (after->time != event.local_time) {
    const ThreadMoment& before = *(after - 1);
    const auto left_ns = static_cast<double>((after->time - event.local_time).ns);
    const auto ran_ns = static_cast<double>(cpu_between_ns(before.ran_ns, after->ran_ns, was_acquired));
    const auto ready_ns = static_cast<double>(after->ready_ns - std::min(before.ready_ns, after->ready_ns));
    const double active_ns = ran_ns + ready_ns;
    const double share = active_ns > left_ns ? left_ns / active_ns : 1;
    at.ran_ns -= static_cast<std::uint64_t>(ran_ns * share);
    at.ready_ns -= static_cast<std::uint64_t>(ready_ns * share);
    const double disk_ns = after->disk_ns == kNotMeasured || before.disk_ns == kNotMeasured
                               ? 0
                               : static_cast<double>(after->disk_ns - std::min(before.disk_ns, after->disk_ns));
    if (at.disk_ns != kNotMeasured)
      at.disk_ns -= static_cast<std::uint64_t>(std::min(disk_ns, std::max(left_ns - active_ns, 0.0)));
  }
  event.proc_time_ns = at.ran_ns;
  event.ready_time_ns = at.ready_ns;
  event.disk_time_ns = at.disk_ns;
}

}  // namespace dpm

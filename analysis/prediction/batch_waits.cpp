#include "analysis/prediction/batch_waits.hpp"

#include <algorithm>
#include <vector>

namespace dpm {
namespace {

// Longer by less is the rounding of CPU times.
constexpr double kLonger = 1.001;
constexpr double kLonger_ns = 1000;

struct Batches {
  std::vector<double> waits_ns;  // while at least one request waits for an answer
  double work_ns = 0;            // from the last request to the last answer
};

// What a process performs in this schedule, in order.
std::vector<std::uint32_t> performed_by(const History& history, std::uint32_t process, const Schedule& schedule) {
  std::vector<std::uint32_t> events;
  for (std::uint32_t e = 0; e < history.events.size(); ++e)
    if (schedule.performed_by[e] == process && schedule.finished_ns[e] >= 0) events.push_back(e);
  std::stable_sort(events.begin(), events.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return schedule.finished_ns[a] < schedule.finished_ns[b]; });
  return events;
}

Batches batches_of(const History& history, std::uint32_t process, const Schedule& schedule) {
  Batches batches;
  bool holds = false;
  double before_ns = 0;
  for (const std::uint32_t e : performed_by(history, process, schedule)) {
    const double ns = schedule.finished_ns[e] - before_ns;
    const HistoryKind kind = history.events[e].kind();
    before_ns = schedule.finished_ns[e];
    if (kind == HistoryKind::receive) {
      if (holds) batches.waits_ns.push_back(ns);
      holds = true;
    } else if (kind == HistoryKind::send) {
      batches.work_ns += ns;
      holds = false;
    }
  }
  return batches;
}

}  // namespace

double possible_batches_ns(const History& history, std::uint32_t process, const Schedule& predicted,
                           const Schedule& traced) {
  const Batches there = batches_of(history, process, predicted), here = batches_of(history, process, traced);
  if (here.waits_ns.empty()) return 0;
  const double longest_ns = *std::max_element(here.waits_ns.begin(), here.waits_ns.end()) * kLonger + kLonger_ns;
  const bool any_longer = std::any_of(there.waits_ns.begin(), there.waits_ns.end(),
                                      [longest_ns](double wait_ns) { return wait_ns > longest_ns; });
  return any_longer ? there.work_ns : 0;
}

}  // namespace dpm

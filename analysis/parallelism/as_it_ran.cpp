#include "analysis/parallelism/as_it_ran.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

namespace dpm {
namespace {

std::string text_of(double seconds) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.3f s", seconds);
  return text.data();
}

constexpr double kShareWorthSaying = .01, kSecondsWorthSaying = 1e-3;

// When one process ran, in the run and in the replay; in the clock of each.
struct Lifetime {
  std::uint32_t process = 0;
  std::int64_t ran_from = 0, ran_to = 0;
  double from = 0, to = 0;
};

// Visits the beginnings and ends of processes in the order of the replay's time.
class LifetimeSweep {
 public:
  explicit LifetimeSweep(std::vector<Lifetime> lifetimes) : lifetimes_(std::move(lifetimes)) {
    for (std::uint32_t i = 0; i < lifetimes_.size(); ++i) {
      changes_.push_back({lifetimes_[i].from, true, i});
      changes_.push_back({lifetimes_[i].to, false, i});
    }
    // At one instant, ends come before beginnings.
    std::sort(changes_.begin(), changes_.end(), [](const Change& a, const Change& b) {
      return std::tie(a.at, a.begins, a.lifetime) < std::tie(b.at, b.begins, b.lifetime);
    });
  }

  FalseOverlaps run() {
    double last = 0;
    for (const Change& change : changes_) {
      if (is_false()) found_.seconds += (change.at - last) * 1e-9;
      last = change.at;
      if (change.begins) {
        begin(change.lifetime);
      } else {
        end(change.lifetime);
      }
    }
    found_.processes = parties_.size();
    return found_;
  }

 private:
  struct Change {
    double at = 0;
    bool begins = false;
    std::uint32_t lifetime = 0;
  };

  bool is_false() const { return !ends_.empty() && ends_.begin()->first < begins_.rbegin()->first; }

  void begin(std::uint32_t lifetime) {
    begins_.emplace(lifetimes_[lifetime].ran_from, lifetime);
    ends_.emplace(lifetimes_[lifetime].ran_to, lifetime);
    if (!is_false()) return;
    const std::uint32_t earlier = ends_.begin()->second, later = begins_.rbegin()->second;
    if (parties_.empty()) found_.a = {lifetimes_[earlier].process}, found_.b = {lifetimes_[later].process};
    parties_.insert({earlier, later});
    const bool overlaps_none =
        lifetimes_[lifetime].ran_from > ends_.begin()->first || lifetimes_[lifetime].ran_to < begins_.rbegin()->first;
    if (overlaps_none) parties_.insert(lifetime);
  }

  void end(std::uint32_t lifetime) {
    begins_.erase({lifetimes_[lifetime].ran_from, lifetime});
    ends_.erase({lifetimes_[lifetime].ran_to, lifetime});
  }

  std::vector<Lifetime> lifetimes_;
  std::vector<Change> changes_;
  std::set<std::pair<std::int64_t, std::uint32_t>> begins_, ends_;  // in the run, of those alive in the replay
  std::set<std::uint32_t> parties_;
  FalseOverlaps found_;
};

std::optional<Lifetime> lifetime_of(const History& history, const Schedule& schedule, std::uint32_t p) {
  const LocalLifetime& lifetime = history.local_lifetimes[p];
  const std::uint32_t first = history.first_event[p], end = history.first_event[p + 1];
  if (!lifetime.seen || first == end) return std::nullopt;
  const std::uint32_t first_traced = history.local_spans[p].first_event;
  const bool created = history.events[first].kind() == HistoryKind::start || first_traced == kNoEvent;
  const double from = schedule.finished_ns[created ? first : first_traced];
  const double to = schedule.finished_ns[end - 1];
  if (from < 0 || to <= from) return std::nullopt;
  return Lifetime{p, lifetime.first.ns, lifetime.last.ns, from, to};
}

}  // namespace

RunTimes as_it_ran(const History& history, std::uint64_t cpu_ns) {
  RunTimes times;
  std::map<MachineId, LocalLifetime> machines;
  for (const LocalLifetime& lifetime : history.local_lifetimes) {
    if (!lifetime.seen) continue;
    const auto [machine, is_new] = machines.try_emplace(lifetime.machine, lifetime);
    if (is_new) continue;
    machine->second.first = std::min(machine->second.first, lifetime.first);
    machine->second.last = std::max(machine->second.last, lifetime.last);
  }
  for (const auto& entry : machines)
    times.elapsed_s = std::max(times.elapsed_s, (entry.second.last - entry.second.first).seconds());
  times.T_s = static_cast<double>(cpu_ns) * 1e-9;
  times.P = times.elapsed_s > 0 ? times.T_s / times.elapsed_s : 0;
  return times;
}

FalseOverlaps find_false_overlaps(const History& history, const Schedule& schedule) {
  std::map<MachineId, std::vector<Lifetime>> by_clock;
  for (std::uint32_t p = 0; p < history.local_lifetimes.size(); ++p)
    if (const auto lifetime = lifetime_of(history, schedule, p))
      by_clock[history.local_lifetimes[p].machine].push_back(*lifetime);
  FalseOverlaps most;
  for (auto& entry : by_clock) {
    const FalseOverlaps found = LifetimeSweep(std::move(entry.second)).run();
    if (found.seconds > most.seconds) most = found;
  }
  return most;
}

std::optional<std::string> warning_of(const FalseOverlaps& overlaps, const History& history, double elapsed_s) {
  if (overlaps.seconds < kSecondsWorthSaying || overlaps.seconds < kShareWorthSaying * elapsed_s) return std::nullopt;
  const auto& processes = history.info.processes;
  return fmt::format(
      "for {} of {} the replay runs processes at once that never ran at once in the run ({} at least, such as '{}' and "
      "'{}'): they waited for something that is not in the trace",
      text_of(overlaps.seconds), text_of(elapsed_s), overlaps.processes, processes[overlaps.a.value].name,
      processes[overlaps.b.value].name);
}

}  // namespace dpm

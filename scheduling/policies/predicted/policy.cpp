// predicted: replays the window on other placements (analysis/prediction), and moves only if the best of them is worth it:
//   - the gain exceeds `gain_min` (hysteresis), and what the prediction may be off: its interval is above 0;
//   - it is a gain in the first half of the window and in the second: what was not so all the time may not last;
//   - over `horizon`, the gain is worth more than the time that the moved processes stand still.
// The way to the best placement is a list of moves; the decision loop makes them one after another, and measures once.
//
// On a real machine the kernel places what no decision has bound, and moves it every few milliseconds. What it does is then replayed
// as the mean of some moments' placements. Nothing is gained that the events did not take: the kernel balances CPU time better than
// any placement that stays. What of their time the replays do not explain (waits for timers and users, metering, other programs) is
// expected to stay the same on every placement, and the interval has that it becomes a quarter longer.
//
// With the seccomp source each call waits for the meter, a process that no placement binds:
//
//     core0   process ── call ──┐                   ┌── goes on        If the kernel may, it wakes the two on each other's core.
//     core1                     └── meter: event ───┘                  Bound processes it cannot bring together with the meter.
//
// So on another placement each call may cost two messages to a sleeping process on another core, which is many times what the meter
// works for it. The interval has that all calls do.
//
// The CPU times of the window have what it cost to wake processes on other cores. A replay adds these costs where it has such messages,
// so they are taken out first, as often as the two processes were apart.
#include "scheduling/policies/interface/policy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "analysis/prediction/prediction.hpp"
#include "analysis/prediction/search.hpp"

namespace dpm::policies::predicted {
namespace {

Proposal nothing(std::string reason) { return {{}, std::nullopt, std::move(reason)}; }

// The process and its threads, as far as they have events.
std::vector<std::size_t> active_threads(const History& history, std::size_t process) {
  std::vector<std::size_t> threads;
  for (std::size_t p = process; p + 1 < history.first_event.size(); ++p)
    if ((p == process || history.info.processes[p].group.value == process) &&
        history.first_event[p] != history.first_event[p + 1])
      threads.push_back(p);
  return threads;
}

// Of one machine's clock.
double time_of(const History& history) {
  std::optional<LocalTime> first, last;
  for (const LocalSpan& span : history.local_spans) {
    if (span.first_event == kNoEvent) continue;
    first = std::min(first.value_or(span.first), span.first);
    last = std::max(last.value_or(span.last), span.last);
  }
  return first ? (*last - *first).seconds() : 0;
}

constexpr double kUnexplainedLonger = 0.25;
constexpr double kCpuLeast = 0.3;  // of an event's CPU time, which stays: what a wake-up costs is known on average only

void take_out(HistoryEvent& event, double cost_s) {
  const auto cpu_ns = static_cast<double>(event.cpu_ns);
  event.cpu_ns = static_cast<std::uint64_t>(std::max(cpu_ns - cost_s * 1e9, cpu_ns * kCpuLeast));
}

// How often two processes were on different machines: from 0 to 1.
double apart(const SystemView& view, std::uint32_t a, std::uint32_t b) {
  if (view.moments.empty()) return view.machine_of[a] == view.machine_of[b] ? 0 : 1;
  double times = 0;
  for (const auto& moment : view.moments) times += std::max(a, b) < moment.size() && moment[a] != moment[b] ? 1 : 0;
  return times / static_cast<double>(view.moments.size());
}

void take_out_wake_ups(History& history, const SystemView& view) {
  const WakeUps& costs = history.info.delays.remote.wake_ups;
  if (view.stays.empty() || costs.is_free()) return;
  const WakeUp cost = costs.after(0);
  for (std::uint32_t receiver = 0; receiver < history.process_count(); ++receiver)
    for (std::uint32_t at = history.first_event[receiver]; at < history.first_event[receiver + 1]; ++at) {
      HistoryEvent& received = history.events[at];
      if (received.kind() != HistoryKind::receive || received.match == kNoEvent || !(received.waited || received.slept))
        continue;
      const std::uint32_t sender = history.owner_of(received.match).value, next = received.match + 1;
      if (std::max(sender, receiver) >= view.machine_of.size()) continue;
      const double share = apart(view, sender, receiver);
      take_out(received, share * cost.receiver_cpu_s);
      if (next < history.first_event[sender + 1]) take_out(history.events[next], share * cost.sender_cpu_s);
    }
}

// A process that slept until a message came used the CPU time before its RECEIVE for the most part after it was woken. Before it, that
// work would be done while the sender still works, on another core, and no process would ever have to be woken.
void put_off_work_of_woken(History& history, const SystemView& view) {
  if (view.stays.empty()) return;
  for (std::uint32_t process = 0; process < history.process_count(); ++process)
    for (std::uint32_t next = history.first_event[process + 1]; next-- > history.first_event[process] + 1;) {
      HistoryEvent& received = history.events[next - 1];
      if (received.kind() != HistoryKind::receive || received.match == kNoEvent || !(received.waited || received.slept))
        continue;
      history.events[next].cpu_ns += std::exchange(received.cpu_ns, 0);
    }
}

// As if each call waited for a meter that is woken on another core, and wakes it from there.
void put_in_waits_for_meter(History& history) {
  const WakeUp cost = history.info.delays.remote.wake_ups.after(0);
  const double both_ways_s = 2 * (cost.delivery_s + cost.receiver_cpu_s);
  for (HistoryEvent& event : history.events)
    if (event.kind() == HistoryKind::send || event.kind() == HistoryKind::receive || event.kind() == HistoryKind::wait)
      event.cpu_ns += static_cast<std::uint64_t>(both_ways_s * 1e9);
}

// Some events of the window: how long they took, and how long replays take.
struct Elapsed {
  std::optional<double> measured_s;
  double now_s = 0, best_s = 0;
  double meter_s = 0;  // by which the best may take longer, because calls wait for the meter

  double before_s() const { return measured_s.value_or(now_s); }
  double after_s() const {
    if (!measured_s) return best_s;
    return std::max(*measured_s - std::min(now_s, *measured_s) + best_s, 1e-9);
  }
  double gain() const { return after_s() > 0 ? before_s() / after_s() - 1 : 0; }
  // If what the replays do not explain takes longer on the other placement.
  double cautious_gain() const {
    const double unexplained_s = measured_s ? std::max(*measured_s - now_s, 0.0) : 0;
    const double longer_s = std::max(kUnexplainedLonger * unexplained_s, meter_s);
    return after_s() > 0 ? before_s() / (after_s() + longer_s) - 1 : 0;
  }
};

}  // namespace

class Predicted : public Policy {
 public:
  explicit Predicted(const PolicyOptions& options) : options_(options) {}

  Proposal propose(const SystemView& view) override {
    const EventRange region = region_of(view.window);
    const std::size_t replayed = std::min(region.count, options_.replayed_events_max);
    auto history = view.window.history({region.first + region.count - replayed, replayed});
    if (!history) return nothing("the window cannot be predicted: " + history.error().what);
    take_out_wake_ups(*history, view);
    put_off_work_of_woken(*history, view);
    const Target base = target_of(*history, view, view.machine_of);
    SearchOptions search_options{.keep = 1,
                                 .exhaustive_limit = options_.evaluations,
                                 .evaluations = options_.evaluations,
                                 .seed = options_.seed};
    for (std::size_t p = 0; p < view.machine_of.size(); ++p)
      if (view.may_move[p] && !active_threads(*history, p).empty())
        search_options.movable.push_back(history->info.processes[p].name);
    for (const MachineId machine : view.usable_machines())
      search_options.machines.push_back(view.machines[machine.value].name);
    if (search_options.movable.empty()) return nothing("no process that may move has done anything");
    if (search_options.machines.size() < 2) return nothing("there are not two machines to choose from");
    const auto found = search(*history, base, search_options);
    if (!found) return nothing("no placement can be predicted: " + found.error().what);
    if (found->candidates.empty()) return nothing("no placement can be predicted");
    return judge(view, *history, base, *found);
  }

 private:
  // Other events of the window may have other processes at its end, which are outside the computation: they stay where they were.
  Target target_of(const History& history, const SystemView& view, const std::vector<MachineId>& machine_of) const {
    Target target = traced_target(history);
    target.machines = view.machines;
    target.time_slice = options_.time_slice;
    const std::size_t known = std::min({machine_of.size(), view.machine_of.size(), target.machine_of.size()});
    for (std::size_t p = 0; p < known; ++p)
      if (!machine_of[p].is_none()) target.machine_of[p] = machine_of[p];
    return target;
  }

  // Where the events of all processes are known, if not all of them can be replayed.
  EventRange region_of(const SlidingWindow& window) const {
    const std::size_t all = window.events(), ragged = all > options_.replayed_events_max ? all / 8 : 0;
    return {ragged, all - 2 * ragged};
  }

  Proposal judge(const SystemView& view, const History& history, Target target, const SearchResult& found) const {
    const Candidate& best = found.candidates.front();
    Proposal proposal;
    proposal.moves = moves_to(best, view, history);
    const auto now_s = time_now(view, history, target);
    if (!now_s) return nothing("the placement of now cannot be predicted: " + now_s.error().what);
    Elapsed elapsed{measured(view, history), *now_s, best.elapsed_s};
    if (proposal.moves.empty() || elapsed.gain() < options_.gain_min)
      return nothing(fmt::format("the best of {} placements is predicted to gain {:.1f} %", found.evaluated,
                                 std::max(elapsed.gain(), 0.0) * 100));
    target.machine_of = best.machine_of;
    const auto meter_s = meters_time(history, target, best.elapsed_s);
    if (!meter_s) return nothing("the best placement cannot be predicted: " + meter_s.error().what);
    elapsed.meter_s = *meter_s;
    const auto prediction = predict(history, target);
    if (!prediction) return nothing("the best placement cannot be predicted: " + prediction.error().what);
    GainRange range{elapsed.gain(), elapsed.gain(), elapsed.gain()};
    if (prediction->interval) {
      // The difference from the clock is not open where the time that was taken counts.
      const double best_s = elapsed.best_s;
      const double known_s = elapsed.measured_s ? prediction->clock_error.value_or(0) * best_s : 0;
      elapsed.best_s = std::max(prediction->interval->high_elapsed_s - known_s, best_s);
      range.low = elapsed.gain();
      elapsed.best_s = std::min(prediction->interval->low_elapsed_s + known_s, best_s);
      range.high = elapsed.gain();
      elapsed.best_s = best_s;
    }
    range.low = std::min(range.low, elapsed.cautious_gain());
    const auto in_halves = gain_of_halves(view, best.machine_of);
    if (!in_halves) return nothing("half of the window cannot be predicted: " + in_halves.error().what);
    range = {in_halves->expected, std::min(range.low, in_halves->low), std::max(range.high, in_halves->high)};
    proposal.predicted = range;
    const double cost_s = options_.move_cost.seconds() * static_cast<double>(proposal.moves.size());
    proposal.reason = fmt::format("the best of {} placements is predicted to gain {:.1f} % ({:.1f} to {:.1f} %)",
                                  found.evaluated, range.expected * 100, range.low * 100, range.high * 100);
    if (range.low <= 0 || range.expected < options_.gain_min)
      return nothing(proposal.reason + ", which is within the interval");
    if (range.expected * options_.horizon.seconds() <= cost_s)
      return nothing(proposal.reason + fmt::format(", less than moving costs ({:.2g} s)", cost_s));
    return proposal;
  }

  static std::vector<ProcessMove> moves_to(const Candidate& best, const SystemView& view, const History& history) {
    std::vector<ProcessMove> moves;
    for (std::size_t p = 0; p < view.machine_of.size() && p < best.machine_of.size(); ++p) {
      if (!view.may_move[p]) continue;
      for (const std::size_t thread : active_threads(history, p)) {
        if (best.machine_of[thread] == view.machine_of[thread]) continue;
        moves.push_back({{static_cast<std::uint32_t>(p)}, view.machine_of[thread], best.machine_of[thread]});
        break;  // threads move with their process
      }
    }
    // The best may be where most of them are already, and where the kernel does not leave them: with the first, all are bound.
    for (std::size_t p = 0; moves.empty() && p < view.stays.size(); ++p)
      if (view.may_move[p] && !view.stays[p] && !active_threads(history, p).empty())
        moves.push_back({{static_cast<std::uint32_t>(p)}, view.machine_of[p], view.machine_of[p]});
    return moves;
  }

  // What a replay of the placement of now takes; where the kernel places, the mean of its placements.
  static Result<double> time_now(const SystemView& view, const History& history, const Target& now) {
    if (view.moments.empty()) return elapsed_on(history, now);
    double sum_s = 0;
    for (const auto& moment : view.moments) {
      Target then = now;
      for (std::size_t p = 0; p < moment.size() && p < then.machine_of.size(); ++p)
        if (!moment[p].is_none()) then.machine_of[p] = moment[p];
      const auto elapsed_s = elapsed_on(history, then);
      if (!elapsed_s) return elapsed_s;
      sum_s += *elapsed_s;
    }
    return sum_s / static_cast<double>(view.moments.size());
  }

  static Result<double> elapsed_on(const History& history, const Target& target) {
    const auto prediction = predict(history, target, {.interval = false});
    if (!prediction) return prediction.error();
    return prediction->elapsed_s;
  }

  Result<double> meters_time(History history, const Target& target, double without_s) const {
    if (!options_.calls_wait) return 0.0;
    put_in_waits_for_meter(history);
    const auto with_s = elapsed_on(history, target);
    if (!with_s) return with_s;
    return std::max(*with_s - without_s, 0.0);
  }

  static std::optional<double> measured(const SystemView& view, const History& history) {
    if (view.stays.empty()) return std::nullopt;
    return time_of(history);
  }

  // Expected: all in all. Low and high: of the half that gains less, and of the other.
  Result<GainRange> gain_of_halves(const SystemView& view, const std::vector<MachineId>& best) const {
    const EventRange region = region_of(view.window);
    const std::size_t half = region.count / 2;
    const std::size_t replayed = std::min(half, options_.replayed_events_max / 2);
    GainRange range;
    double before_s = 0, after_s = 0;
    for (const std::size_t end : {region.first + half, region.first + region.count}) {
      auto history = view.window.history({end - replayed, replayed});
      if (!history) return history.error();
      take_out_wake_ups(*history, view);
      put_off_work_of_woken(*history, view);
      const auto now_s = time_now(view, *history, target_of(*history, view, view.machine_of));
      if (!now_s) return now_s.error();
      const auto best_s = elapsed_on(*history, target_of(*history, view, best));
      if (!best_s) return best_s.error();
      const Elapsed elapsed{measured(view, *history), *now_s, *best_s};
      const bool is_first = end == region.first + half;
      range.low = is_first ? elapsed.gain() : std::min(range.low, elapsed.gain());
      range.high = is_first ? elapsed.gain() : std::max(range.high, elapsed.gain());
      before_s += elapsed.before_s();
      after_s += elapsed.after_s();
    }
    range.expected = after_s > 0 ? before_s / after_s - 1 : 0;
    return range;
  }

  PolicyOptions options_;
};

std::unique_ptr<Policy> make(const PolicyOptions& options) { return std::make_unique<Predicted>(options); }

}  // namespace dpm::policies::predicted

#include "analysis/prediction/lower_bound.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/history/message_costs.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::min();

// The base with free messages' CPU and every movable process on the fastest allowed machine: no placement needs less
// CPU time.
Target cheapest(const Target& base, const std::vector<bool>& may_move, const std::vector<MachineId>& allowed) {
  Target target = base;
  const auto free_cpu = [](DelayClass& delays) { delays.sender_cpu_s = delays.receiver_cpu_s = PiecewiseLinear{}; };
  free_cpu(target.delays.local);
  free_cpu(target.delays.remote);
  for (auto& pair : target.delays.pairs) free_cpu(pair.delays);
  const MachineId fastest = *std::max_element(allowed.begin(), allowed.end(), [&](MachineId a, MachineId b) {
    return base.machines[a.value].speed < base.machines[b.value].speed;
  });
  for (std::uint32_t p = 0; p < may_move.size(); ++p) {
    if (may_move[p]) target.machine_of[p] = fastest;
  }
  return target;
}

class Chains {
 public:
  Chains(const History& history, const Target& base, const Target& target, const std::vector<bool>& may_move,
         Order order)
      : history_(history),
        may_move_(may_move),
        order_(order),
        costs_(history, target),
        delays_(base.delays, base.machines),
        arrival_ns_(history.events.size(), kUnknown),
        next_(history.process_count()),
        time_ns_(history.process_count()) {}

  std::int64_t longest_ns() {
    std::copy_n(history_.first_event.begin(), next_.size(), next_.begin());
    for (std::uint32_t p = 0; p < next_.size(); ++p) {
      if (next_[p] != history_.first_event[p + 1]) ready_.push_back(p);
    }
    while (!ready_.empty()) {
      const std::uint32_t p = ready_.back();
      ready_.pop_back();
      run_ahead(p);
    }
    return longest_ns_;
  }

 private:
  void run_ahead(std::uint32_t p) {
    std::int64_t time_ns = time_ns_[p];
    std::uint32_t e = next_[p];
    for (; e < history_.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history_.events[e];
      const bool receives = needs_match(event.kind());
      if (receives && event.match != kNoEvent && arrival_ns_[e] == kUnknown) break;
      const CpuCost cost = costs_.cpu(event, p);
      time_ns += cost.before_ns;
      longest_ns_ = std::max(longest_ns_, time_ns);
      if (receives) {
        const std::int64_t arrival_ns = event.match == kNoEvent ? 0 : arrival_ns_[e];
        const bool stays = order_ == Order::recorded || event.kind() == HistoryKind::wait;  // after the event before it
        time_ns = (stays ? std::max(time_ns, arrival_ns) : arrival_ns) + cost.after_ns;
      } else if (event.match != kNoEvent) {
        arrival_ns_[event.match] = time_ns + (sends_message(event.kind()) ? least_delivery_ns(event, p) : 0);
        if (event.peer != p && next_[event.peer] == event.match) ready_.push_back(event.peer);
      }
    }
    longest_ns_ = std::max(longest_ns_, time_ns);
    next_[p] = e;
    time_ns_[p] = time_ns;
  }

  std::int64_t least_delivery_ns(const HistoryEvent& send, std::uint32_t sender) {
    const std::uint32_t receiver = send.peer;
    if (!may_move_[sender] && !may_move_[receiver]) {
      return costs_.delivery_ns(send, sender, receiver);
    }
    return costs_.over_link(delays_.least_delivery_ns(send.length_bytes), sender, receiver);
  }

  const History& history_;
  const std::vector<bool>& may_move_;
  Order order_;
  MessageCosts costs_;
  DelayTable delays_;
  std::vector<std::int64_t> arrival_ns_;
  std::vector<std::uint32_t> next_, ready_;
  std::vector<std::int64_t> time_ns_;
  std::int64_t longest_ns_ = 0;
};

}  // namespace

double lower_bound_ns(const History& history, const Target& base, const std::vector<bool>& may_move,
                      const std::vector<MachineId>& allowed, Order order) {
  Target target = cheapest(base, may_move, allowed);
  // In role order the fastest worker may get everything.
  if (order == Order::role && !target.process_speed.empty()) {
    const double most = *std::max_element(target.process_speed.begin(), target.process_speed.end());
    std::fill(target.process_speed.begin(), target.process_speed.end(), most);
  }
  MessageCosts costs(history, target);
  std::vector<double> fixed_ns(base.machines.size());
  double bound_ns = 0, movable_work = 0, movable = 0;
  const double fastest = std::accumulate(allowed.begin(), allowed.end(), 0.0, [&](double most, MachineId machine) {
    return std::max(most, base.machines[machine.value].speed);
  });
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    double cpu_ns = 0;
    for (const HistoryEvent& event : history.of(ProcessId{p})) {
      const CpuCost cost = costs.cpu(event, p);
      cpu_ns += static_cast<double>(cost.before_ns + cost.after_ns);
    }
    if (cpu_ns == 0) continue;
    if (order != Order::role) bound_ns = std::max(bound_ns, cpu_ns);
    if (may_move[p]) {
      movable_work += cpu_ns * fastest;
      ++movable;
    } else {
      fixed_ns[base.machine_of[p].value] += cpu_ns;
    }
  }
  // In role order work may pass between fixed and movable processes, and only the sum over all machines is certain.
  std::vector<double> speeds;  // of cores: a process uses at most one at a time
  for (const MachineId machine : allowed) {
    const MachineInfo& info = base.machines[machine.value];
    speeds.insert(speeds.end(), std::min<std::size_t>(info.cores, static_cast<std::size_t>(movable) + 1), info.speed);
  }
  std::sort(speeds.rbegin(), speeds.rend());
  if (order == Order::role) {
    double work = movable_work, speed = 0;
    for (std::size_t m = 0; m < base.machines.size(); ++m) {
      work += fixed_ns[m] * base.machines[m].speed;
      speed += base.machines[m].speed * base.machines[m].cores;
    }
    return std::max(bound_ns, work / speed);
  }
  const auto used = std::min(speeds.size(), static_cast<std::size_t>(movable));
  const double speed = std::accumulate(speeds.begin(), speeds.begin() + static_cast<std::ptrdiff_t>(used), 0.0);
  if (speed > 0) bound_ns = std::max(bound_ns, movable_work / speed);
  for (std::size_t m = 0; m < fixed_ns.size(); ++m) bound_ns = std::max(bound_ns, fixed_ns[m] / base.machines[m].cores);
  return std::max(bound_ns, static_cast<double>(Chains(history, base, target, may_move, order).longest_ns()));
}

}  // namespace dpm

#include "analysis/prediction/tracing_cost.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

namespace dpm {
namespace {

std::uint64_t ns(double seconds) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(Duration::from_seconds(seconds).ns, 0));
}

// A call that a meter handles and a trace records. Ends of threads that nothing waited for are not calls.
bool is_call(const HistoryEvent& event) {
  const HistoryKind kind = event.kind();
  return kind == HistoryKind::send || kind == HistoryKind::receive ||
         (kind == HistoryKind::wait && event.arc() != ArcKind::inferred);
}

class TakingOut {
 public:
  TakingOut(History& history, const Calibration& calibration)
      : history_(history),
        calibration_(calibration),
        call_ns_(ns(calibration.metering.call_cpu_s)),
        waiting_call_ns_(ns(calibration.metering.waiting_call_cpu_s)) {}

  TracingCost run() {
    find_idle_times();
    for (std::uint32_t p = 0; p < history_.process_count(); ++p) take_out_of(p);
    return cost_;
  }

 private:
  // A trace does not say how long a core had been idle when a process on it was woken. Its idle time and the number of wakings
  // give the mean. A core with other processes may have been busy: the shares of these say how often.
  struct Core {
    Duration elapsed;
    std::uint64_t cpu_ns = 0;
    double wakings = 0;
  };

  void find_idle_times() {
    cpu_ns_.assign(history_.process_count(), 0);
    std::map<MachineId, std::pair<LocalTime, LocalTime>> seen;
    for (std::uint32_t p = 0; p < history_.process_count(); ++p) {
      const MachineId machine = history_.info.processes[p].machine;
      for (const HistoryEvent& event : history_.of(ProcessId{p})) cpu_ns_[p] += event.cpu_ns;
      cores_[machine].cpu_ns += cpu_ns_[p];
      const LocalSpan& span = history_.local_spans[p];
      if (span.first_event == kNoEvent) continue;
      const auto [times, is_new] = seen.try_emplace(machine, span.first, span.last);
      times->second = {std::min(times->second.first, span.first), std::max(times->second.second, span.last)};
    }
    for (const auto& [machine, times] : seen) cores_[machine].elapsed = times.second - times.first;
    for (std::uint32_t p = 0; p < history_.process_count(); ++p)
      for (const HistoryEvent& event : history_.of(ProcessId{p}))
        if (event.kind() == HistoryKind::receive && event.slept != 0)
          cores_[history_.info.processes[p].machine].wakings += idle_share(p);
  }

  // How often the core of a process is idle while the process sleeps.
  double idle_share(std::uint32_t p) const {
    const Core& core = cores_.at(history_.info.processes[p].machine);
    const double asleep_ns = static_cast<double>(core.elapsed.ns) - static_cast<double>(cpu_ns_[p]);
    if (asleep_ns <= 0) return 1;
    return std::clamp(1 - static_cast<double>(core.cpu_ns - cpu_ns_[p]) / asleep_ns, 0.0, 1.0);
  }

  WakeUp usual_wake_up(std::uint32_t p, const WakeUps& wake_ups) const {
    const Core& core = cores_.at(history_.info.processes[p].machine);
    const double idle_s = core.elapsed.seconds() - static_cast<double>(core.cpu_ns) * 1e-9;
    WakeUp wake_up = wake_ups.after(core.wakings > 0 ? std::max(idle_s, 0.0) / core.wakings : kUsualGap_s);
    const double share = idle_share(p);
    wake_up.sender_cpu_s *= share;
    wake_up.receiver_cpu_s *= share;
    return wake_up;
  }

  void take_out_of(std::uint32_t p) {
    std::uint64_t owed_ns = 0;
    for (std::uint32_t e = history_.first_event[p]; e < history_.first_event[p + 1]; ++e) {
      HistoryEvent& event = history_.events[e];
      owed_ns += cost_of_calls_before(e);
      const std::uint64_t taken_ns = std::min(owed_ns, event.cpu_ns);
      event.cpu_ns -= taken_ns;
      owed_ns += cost_of(event, p) - taken_ns;
    }
  }

  // Events must be given in order.
  std::uint64_t cost_of_calls_before(std::uint32_t e) {
    const auto& between = history_.calls_between;
    if (next_between_ == between.size() || between[next_between_].event != e) return 0;
    const std::uint64_t calls = between[next_between_++].calls;
    cost_.calls += calls;
    cost_.metering_ns += calls * call_ns_;
    return calls * call_ns_;
  }

  std::uint64_t cost_of(const HistoryEvent& event, std::uint32_t p) {
    const bool receives = event.kind() == HistoryKind::receive;
    if (!is_call(event)) return 0;
    const std::uint64_t metering_ns = event.waited != 0 ? waiting_call_ns_ : call_ns_;
    ++cost_.calls;
    cost_.metering_ns += metering_ns;
    if (event.kind() == HistoryKind::wait) return metering_ns;
    const HistoryEvent* receive = receives ? &event : event.match == kNoEvent ? nullptr : &history_.events[event.match];
    if (receive == nullptr || receive->slept == 0 || event.peer >= history_.info.processes.size()) return metering_ns;
    const WakeUp costs = receives ? wake_up_between(event.peer, p, receive->waited != 0)
                                  : wake_up_between(p, event.peer, receive->waited != 0);
    const std::uint64_t wake_up_ns = ns(receives ? costs.receiver_cpu_s : costs.sender_cpu_s);
    cost_.wake_ups += receives && !costs.is_free() ? 1 : 0;
    cost_.wake_up_ns += wake_up_ns;
    return metering_ns + wake_up_ns;
  }

  WakeUp wake_up_between(std::uint32_t sender, std::uint32_t receiver, bool waited_in_call) const {
    const MachineId here = history_.info.processes[sender].machine, there = history_.info.processes[receiver].machine;
    const auto& machines = history_.info.machines;
    if (here == there || here.value >= machines.size() || there.value >= machines.size()) return {};
    // A process that waits in a metered call is woken by the supervisor; one that waits in poll() is not.
    if (waited_in_call && !calibration_.metering.wake_up.is_free()) return calibration_.metering.wake_up;
    const DelayClass& delays = calibration_.delays.between(machines[here.value].name, machines[there.value].name);
    return usual_wake_up(receiver, delays.wake_ups);
  }

  History& history_;
  const Calibration& calibration_;
  const std::uint64_t call_ns_, waiting_call_ns_;
  std::vector<std::uint64_t> cpu_ns_;  // by process, as traced
  std::map<MachineId, Core> cores_;
  std::size_t next_between_ = 0;
  TracingCost cost_;
};

}  // namespace

Calibration fitted_to(const History& as_metered, Calibration calibration, double unmetered_cpu_s) {
  MeteringCost& metering = calibration.metering;
  if (metering.call_cpu_s == 0 && metering.waiting_call_cpu_s == 0)
    metering.call_cpu_s = metering.waiting_call_cpu_s = 1e-6;
  History copy = as_metered;
  const TracingCost cost = take_out_tracing_cost(copy, calibration);
  const double more_s =
      static_cast<double>(as_metered.cpu_ns()) * 1e-9 - static_cast<double>(cost.wake_up_ns) * 1e-9 - unmetered_cpu_s;
  const double known_s = static_cast<double>(cost.metering_ns) * 1e-9;
  const double factor = known_s > 0 ? std::max(more_s / known_s, 0.0) : 0;
  metering.call_cpu_s *= factor;
  metering.waiting_call_cpu_s *= factor;
  return calibration;
}

std::uint64_t put_in_meters_time(History& unmetered, const Calibration& calibration) {
  const std::uint64_t call_ns = ns(calibration.metering.call_elapsed_s),
                      waiting_call_ns = ns(calibration.metering.waiting_call_elapsed_s);
  std::uint64_t sum_ns = 0;
  auto between = unmetered.calls_between.begin();
  for (std::uint32_t p = 0; p < unmetered.process_count(); ++p) {
    std::uint64_t took_ns = 0;
    for (std::uint32_t e = unmetered.first_event[p]; e < unmetered.first_event[p + 1]; ++e) {
      HistoryEvent& event = unmetered.events[e];
      if (between != unmetered.calls_between.end() && between->event == e) took_ns += (between++)->calls * call_ns;
      event.cpu_ns += took_ns;
      sum_ns += took_ns;
      took_ns = is_call(event) ? (event.waited != 0 ? waiting_call_ns : call_ns) : 0;
    }
  }
  return sum_ns;
}

TracingCost take_out_tracing_cost(History& history, const Calibration& calibration) {
  return TakingOut(history, calibration).run();
}

}  // namespace dpm

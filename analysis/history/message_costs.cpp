#include "analysis/history/message_costs.hpp"

#include <algorithm>
#include <cmath>

#include "model/check.hpp"

namespace dpm {
namespace {

bool is_zero(const PiecewiseLinear& line) {
  return std::all_of(line.points().begin(), line.points().end(), [](const auto& point) { return point.second == 0; });
}

std::vector<double> speeds_of(const std::vector<MachineInfo>& machines) {
  std::vector<double> speeds;
  for (const auto& machine : machines) speeds.push_back(machine.speed > 0 ? machine.speed : 1);
  return speeds;
}

std::vector<MachineId> machines_of(const TraceInfo& info) {
  std::vector<MachineId> machines;
  for (const auto& process : info.processes) machines.push_back(process.machine);
  return machines;
}

std::uint64_t pair_of(std::uint32_t a, std::uint32_t b) { return std::uint64_t{std::min(a, b)} << 32 | std::max(a, b); }

double speed_at(const std::vector<double>& speeds, MachineId machine) {
  return machine.value < speeds.size() ? speeds[machine.value] : 1.0;
}

}  // namespace

DelayTable::DelayTable(const DelayModel& model, const std::vector<MachineInfo>& machines)
    : kinds_{model.local, model.remote}, machine_count_(machines.size()) {
  for (const auto& pair : model.pairs) kinds_.push_back(pair.delays);
  if (!model.pairs.empty()) {
    classes_.assign(machine_count_ * machine_count_, 1);
    // The first pair that names two machines counts, as in DelayModel::between.
    for (std::size_t pair = model.pairs.size(); pair-- > 0;) {
      for (std::size_t a = 0; a < machine_count_; ++a) {
        if (machines[a].name != model.pairs[pair].machine_a) continue;
        for (std::size_t b = 0; b < machine_count_; ++b) {
          if (machines[b].name != model.pairs[pair].machine_b) continue;
          classes_[a * machine_count_ + b] = classes_[b * machine_count_ + a] = static_cast<std::uint16_t>(pair + 2);
        }
      }
    }
  }
  remembered_.resize(kinds_.size() * kRemembered);
  has_wake_ups_ = std::any_of(kinds_.begin(), kinds_.end(), [](const auto& kind) { return !kind.wake_ups.is_free(); });
  charges_cpu_ = std::any_of(kinds_.begin(), kinds_.end(), [](const DelayClass& kind) {
    return !is_zero(kind.sender_cpu_s) || !is_zero(kind.receiver_cpu_s);
  });
}

DelayTable::WakeUpCosts DelayTable::wake_up(MachineId sender, MachineId receiver, double idle_ns) const {
  const auto ns = [](double seconds) { return Duration::from_seconds(seconds).ns; };
  const WakeUp costs = kinds_[class_of(sender, receiver)].wake_ups.after(idle_ns * 1e-9);
  return {ns(costs.delivery_s), ns(costs.sender_cpu_s), ns(costs.receiver_cpu_s)};
}

void DelayTable::fill(Costs& costs, std::size_t kind, std::uint64_t bytes) const {
  costs.bytes = bytes;
  costs.delivery_ns = DelayModel::delivery(kinds_[kind], bytes).ns;
  costs.sender_cpu_ns = DelayModel::sender_cpu(kinds_[kind], bytes).ns;
  costs.receiver_cpu_ns = DelayModel::receiver_cpu(kinds_[kind], bytes).ns;
}

MessageCosts::MessageCosts(const History& history, const Target& target)
    : traced_(history.info.delays, history.info.machines),
      target_(target.delays, target.machines),
      target_speed_(speeds_of(target.machines)),
      traced_machine_of_(machines_of(history.info)),
      process_speed_(target.process_speed),
      speed_(traced_machine_of_.size()),
      charges_cpu_(traced_.charges_cpu() || target_.charges_cpu()) {
  if (process_speed_.empty()) process_speed_.resize(traced_machine_of_.size(), 1);
  DPM_CHECK(process_speed_.size() == traced_machine_of_.size());
  const auto traced_speeds = speeds_of(history.info.machines);
  for (const MachineId machine : traced_machine_of_) traced_speed_.push_back(speed_at(traced_speeds, machine));
  if (!target.links.empty()) has_link_.resize(traced_machine_of_.size());
  for (const ProcessLink& link : target.links) {
    links_.try_emplace(pair_of(link.a, link.b), 1).first->second *= link.delay_factor;
    has_link_[link.a] = has_link_[link.b] = 1;
  }
  for (const auto& machine : target.machines) target_cores_.push_back(machine.cores);
  move(target.machine_of);
}

void MessageCosts::move(const std::vector<MachineId>& machine_of) {
  DPM_CHECK(machine_of.size() == traced_machine_of_.size());
  machine_of_ = machine_of;
  for (std::size_t p = 0; p < machine_of.size(); ++p)
    speed_[p] = speed_at(target_speed_, machine_of[p]) * process_speed_[p];
  // One speed everywhere, because in role order any process may perform another's work.
  const auto is_the_first = [this](double speed) { return speed == speed_.front(); };
  plain_ = !charges_cpu_ && std::all_of(speed_.begin(), speed_.end(), is_the_first) &&
           std::all_of(traced_speed_.begin(), traced_speed_.end(), is_the_first);
}

double MessageCosts::link_factor(std::uint32_t a, std::uint32_t b) const {
  const auto link = links_.find(pair_of(a, b));
  return link == links_.end() ? 1 : link->second;
}

DelayTable::WakeUpCosts MessageCosts::wake_up(std::uint32_t sender, std::uint32_t receiver, double idle_ns) const {
  const MachineId from = machine_of_[sender], to = machine_at(machine_of_, receiver);
  DelayTable::WakeUpCosts costs = target_.wake_up(from, to, idle_ns);
  if (from.value < target_speed_.size())
    costs.sender_cpu_ns = scaled(costs.sender_cpu_ns, 1 / target_speed_[from.value]);
  if (to.value < target_speed_.size())
    costs.receiver_cpu_ns = scaled(costs.receiver_cpu_ns, 1 / target_speed_[to.value]);
  return costs;
}

CpuCost MessageCosts::with_charges(const HistoryEvent& event, const Performed& by) {
  const auto [source, now, peer, factor] = by;
  const MachineId traced_machine = traced_machine_of_[source], machine = machine_of_[now];
  const double traced_speed = traced_speed_[source], speed = speed_at(target_speed_, machine);
  const auto total = static_cast<std::int64_t>(event.cpu_ns);
  const HistoryKind kind = event.kind();

  if (kind == HistoryKind::send || kind == HistoryKind::move_data) {
    const MachineId traced_peer = machine_at(traced_machine_of_, event.peer),
                    target_peer = machine_at(machine_of_, peer);
    const std::int64_t charged = traced_.between(traced_machine, traced_peer, event.length_bytes).sender_cpu_ns;
    const std::int64_t work = std::max<std::int64_t>(total - scaled(charged, 1 / traced_speed), 0);
    const std::int64_t charge = target_.between(machine, target_peer, event.length_bytes).sender_cpu_ns;
    return {work_ns(work, source, now, factor) + scaled(charge, 1 / speed), 0};
  }
  if (kind == HistoryKind::receive) {
    const MachineId traced_peer = machine_at(traced_machine_of_, event.peer),
                    target_peer = machine_at(machine_of_, peer);
    const std::int64_t charged = traced_.between(traced_peer, traced_machine, event.length_bytes).receiver_cpu_ns;
    const std::int64_t work = std::max<std::int64_t>(total - scaled(charged, 1 / traced_speed), 0);
    const std::int64_t charge = target_.between(target_peer, machine, event.length_bytes).receiver_cpu_ns;
    return {work_ns(work, source, now, factor), scaled(charge, 1 / speed)};
  }
  return {work_ns(total, source, now, factor), 0};
}

}  // namespace dpm

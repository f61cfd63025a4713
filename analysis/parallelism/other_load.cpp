#include "analysis/parallelism/other_load.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "model/metered_cpu.hpp"
#include "model/process_names.hpp"
#include "model/wait_cause.hpp"

namespace dpm {
namespace {

// At which the process itself acts, so that it is one of those that the load average counts. A live meter learns of a creation
// later, and does not know the load then.
bool is_action(EventType type) {
  switch (type) {
    case EventType::send:
    case EventType::receive:
    case EventType::receive_call:
      return true;
    default:
      return false;
  }
}

std::int64_t stretch_of(std::int64_t time_ns) {
  const std::int64_t ns = OtherLoadBuilder::kStretchNs;
  return time_ns / ns - (time_ns % ns < 0 ? 1 : 0);
}

}  // namespace

std::string_view name_of(LoadEvidence evidence) {
  switch (evidence) {
    case LoadEvidence::load_average:
      return "load average";
    case LoadEvidence::run_queue_wait:
      return "run-queue wait";
    case LoadEvidence::none:
      break;
  }
  return "none";
}

bool OtherLoadBuilder::is_of_computation(ProcessId id) {
  if (id.value >= info_->processes.size()) return false;
  if (processes_.size() <= id.value) processes_.resize(info_->processes.size());
  Process& process = processes_[id.value];
  if (!process.known) {
    process.known = true;
    process.included =
        computation_.all_processes || (computation_.only.empty() ? info_->processes[id.value].in_computation
                                                                 : is_called_one_of(*info_, id, computation_.only));
  }
  return process.included;
}

void OtherLoadBuilder::on_events(std::span<const Event> batch) {
  for (const Event& event : batch)
    if (!is_primitive(event.type) && is_of_computation(event.process)) add(event);
}

void OtherLoadBuilder::add(const Event& event) {
  Process& process = processes_[event.process.value];
  Totals& totals = totals_[event.machine.value];
  any_load_ |= event.load > 0;
  const bool goes_on = process.seen && process.machine == event.machine.value;
  const bool is_acquired = was_acquired(*info_, event.process);
  const std::uint64_t cpu_ns = cpu_between_ns(process.cpu_ns, event.proc_time_ns, is_acquired);
  const bool has_ready = event.has_ready_time() && (!process.seen || process.has_ready);
  const std::uint64_t ready_ns =
      has_ready && event.ready_time_ns > process.ready_ns ? event.ready_time_ns - process.ready_ns : 0;
  totals.cpu_ns += cpu_ns;
  if (process.seen || !is_acquired) totals.ready_ns += ready_ns;
  totals.has_ready |= has_ready;
  if (goes_on && event.local_time.ns > process.last_ns) {
    const double passed_ns = static_cast<double>(event.local_time.ns) - static_cast<double>(process.last_ns);
    const bool waited = event.type == EventType::wait || (process.waits && event.type == EventType::receive);
    double runnable = has_ready || waited ? static_cast<double>(cpu_ns + ready_ns) / passed_ns : 1;
    runnable = std::clamp(runnable, 0.0, 1.0);
    const Entry entry{process.last_ns,
                      event.local_time.ns,
                      event.process.value,
                      static_cast<std::uint32_t>(std::lround(runnable * kWhole)),
                      event.machine.value,
                      event.load,
                      is_action(event.type) ? 1u : 0u};
    if (is_kept(entry)) {
      entries_.push_back(entry);
      make_room();
    }
  }
  if (event.type != EventType::message_queued) process.waits = event.type == EventType::receive_call;
  process.seen = true;
  process.machine = event.machine.value;
  process.last_ns = event.local_time.ns;
  process.cpu_ns = std::max(process.cpu_ns, event.proc_time_ns);
  process.has_ready = event.has_ready_time();
  if (process.has_ready) process.ready_ns = std::max(process.ready_ns, event.ready_time_ns);
}

// Of a stretch that is left out nothing is a sample, but what reaches from it into others must stay.
bool OtherLoadBuilder::is_kept(const Entry& entry) const {
  const std::int64_t every = std::int64_t{1} << thinning_;
  const std::int64_t last = stretch_of(entry.to_ns), first = stretch_of(entry.from_ns);
  const std::int64_t last_kept = last - ((last % every) + every) % every;
  return last_kept >= first;
}

void OtherLoadBuilder::make_room() {
  while (entries_.size() > most_entries_ && thinning_ < 32) {
    ++thinning_;
    std::erase_if(entries_, [this](const Entry& entry) { return !is_kept(entry); });
  }
}

void OtherLoadBuilder::give(ByteWriter& out) {
  out.put(thinning_);
  out.put(any_load_);
  out.put(entries_);
  out.put(std::uint64_t{totals_.size()});
  for (const auto& [machine, totals] : totals_) {
    out.put(machine);
    out.put(totals);
  }
}

void OtherLoadBuilder::take(ByteReader& in) {
  thinning_ = std::max(thinning_, in.get<std::uint32_t>());
  any_load_ |= in.get<bool>();
  std::vector<Entry> more;
  in.get(more);
  entries_.insert(entries_.end(), more.begin(), more.end());
  std::erase_if(entries_, [this](const Entry& entry) { return !is_kept(entry); });
  make_room();
  for (auto count = in.get<std::uint64_t>(); count > 0 && in.ok(); --count) {
    Totals& totals = totals_[in.get<std::uint16_t>()];
    const auto others = in.get<Totals>();
    totals.cpu_ns += others.cpu_ns;
    totals.ready_ns += others.ready_ns;
    totals.has_ready |= others.has_ready;
  }
}

void OtherLoadBuilder::on_end(const LossReport& /*losses*/) {
  std::map<std::uint16_t, std::vector<Entry>> of_machine;
  for (const Entry& entry : entries_) of_machine[entry.machine].push_back(entry);
  entries_ = {};
  for (const auto& [machine, totals] : totals_) {
    if (machine >= info_->machines.size()) continue;
    machines_.push_back(measure(machine, std::move(of_machine[machine])));
    machines_.back().cpu_s = static_cast<double>(totals.cpu_ns) * 1e-9;
    machines_.back().ready_s = static_cast<double>(totals.ready_ns) * 1e-9;
  }
  add_run_queue_waits();
}

// Entries of the same instant are summed before any of their samples is taken, so their order does not matter.
MachineLoad OtherLoadBuilder::measure(std::uint16_t machine, std::vector<Entry> entries) const {
  MachineLoad load;
  load.machine = {machine};
  load.name = info_->machines[machine].name;
  if (!any_load_ || entries.empty()) return load;
  load.evidence = LoadEvidence::load_average;
  const auto by_end = [](const Entry& a, const Entry& b) {
    return std::pair(a.to_ns, a.process) < std::pair(b.to_ns, b.process);
  };
  std::sort(entries.begin(), entries.end(), by_end);
  std::vector<std::pair<std::int64_t, std::uint32_t>> begins;
  for (const Entry& entry : entries) begins.emplace_back(entry.from_ns, entry.runnable);
  std::sort(begins.begin(), begins.end());
  const std::int64_t first_ns = begins.front().first, last_ns = entries.back().to_ns;
  const double window_ns =
      std::max(1.0, (static_cast<double>(last_ns) - static_cast<double>(first_ns)) / static_cast<double>(kWindows));
  load.first = {first_ns};
  std::vector<double> sum(kWindows, 0), weight(kWindows, 0);
  const std::int64_t every = std::int64_t{1} << thinning_;
  const double itself = info_->properties.scripted ? 1 : 0;  // a live call stands still while the meter looks at it
  std::int64_t runnable = 0;                                 // of the computation, in parts of kWhole
  std::size_t begun = 0;
  for (std::size_t i = 0; i < entries.size();) {
    const std::int64_t now_ns = entries[i].to_ns;
    for (; begun < begins.size() && begins[begun].first < now_ns; ++begun) runnable += begins[begun].second;
    std::size_t end = i;
    for (; end < entries.size() && entries[end].to_ns == now_ns; ++end) {
      const Entry& entry = entries[end];
      if (entry.is_sample == 0 || entry.runnable == 0 || stretch_of(now_ns) % every != 0) continue;
      const double own = itself + static_cast<double>(runnable - entry.runnable) / kWhole;
      // It was so since the process's event before.
      const double from_ns = static_cast<double>(entry.from_ns) - static_cast<double>(first_ns);
      const double to_ns = static_cast<double>(now_ns) - static_cast<double>(first_ns);
      const auto window_at = [&](double at_ns) {
        return std::min<std::size_t>(kWindows - 1, static_cast<std::size_t>(at_ns / window_ns));
      };
      for (std::size_t w = window_at(from_ns); w <= window_at(to_ns); ++w) {
        const double begin_ns = static_cast<double>(w) * window_ns;
        const double part_ns = std::min(to_ns, begin_ns + window_ns) - std::max(from_ns, begin_ns);
        if (part_ns <= 0) continue;
        const double weight_ns = part_ns * static_cast<double>(entry.runnable) / kWhole;
        sum[w] += (entry.load - own) * weight_ns;
        weight[w] += weight_ns;
      }
    }
    for (; i < end; ++i) runnable -= entries[i].runnable;
  }
  double all = 0, all_weight = 0;
  for (std::size_t w = 0; w < kWindows; ++w) {
    if (weight[w] <= 0) continue;
    const double others = std::max(0.0, sum[w] / weight[w]);
    all += others * weight[w];
    all_weight += weight[w];
    // What a window has no sample of goes on as before.
    load.over_time.steps.push_back({static_cast<double>(w) * window_ns, others, 0});
  }
  load.others = all_weight > 0 ? all / all_weight : 0;
  if (load.others == 0) load.over_time.steps.clear();
  return load;
}

void OtherLoadBuilder::add_run_queue_waits() {
  std::map<std::uint16_t, std::uint64_t> for_others_ns;
  bool are_known = false;
  for (const WaitCause& cause : info_->wait_causes) {
    if (cause.reason != WaitReason::cpu || !is_of_computation(cause.process)) continue;
    are_known = true;
    const bool is_own = !cause.other.is_none() && is_of_computation(cause.other);
    if (is_own || (cause.other.is_none() && cause.name == kIdleCpu)) continue;
    for_others_ns[info_->processes[cause.process.value].machine.value] += cause.time_ns;
  }
  for (MachineLoad& load : machines_) {
    load.ready_for_others_s = static_cast<double>(for_others_ns[load.machine.value]) * 1e-9;
    if (info_->properties.scripted || !are_known || !totals_[load.machine.value].has_ready || load.cpu_s <= 0) continue;
    load.evidence = LoadEvidence::run_queue_wait;
    load.others = 0;
    load.over_time.steps.clear();
    if (load.ready_for_others_s > 0) load.over_time.steps.push_back({0, 0, load.ready_for_others_s / load.cpu_s});
  }
}

std::vector<OtherLoad> in_replay_time(const std::vector<MachineLoad>& loads, const History& history,
                                      const Schedule& schedule, const std::vector<MachineInfo>& machines) {
  std::vector<OtherLoad> result(machines.size());
  for (const MachineLoad& load : loads) {
    const auto machine = std::find_if(machines.begin(), machines.end(),
                                      [&load](const MachineInfo& described) { return described.name == load.name; });
    if (machine == machines.end() || load.over_time.steps.empty()) continue;
    // The beginning of its first process, by its clock and in the replay.
    std::optional<std::uint32_t> first;
    for (std::uint32_t p = 0; p < history.local_lifetimes.size(); ++p) {
      const LocalLifetime& lifetime = history.local_lifetimes[p];
      if (!lifetime.seen || lifetime.machine != load.machine || history.of({p}).empty()) continue;
      if (!first || lifetime.first < history.local_lifetimes[*first].first) first = p;
    }
    if (!first) continue;
    const HistoryEvent& begin = history.of({*first}).front();
    const bool was_created = begin.kind() == HistoryKind::start && begin.match != kNoEvent;
    const double began_ns = was_created ? std::max(0.0, schedule.finished_ns[history.first_event[*first]]) : 0;
    const double shift_ns = began_ns - static_cast<double>((history.local_lifetimes[*first].first - load.first).ns);
    OtherLoad& shifted = result[static_cast<std::size_t>(machine - machines.begin())];
    shifted = load.over_time;
    for (OtherLoad::Step& step : shifted.steps) step.from_ns += shift_ns;
  }
  return result;
}

}  // namespace dpm

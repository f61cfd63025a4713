#include "scheduling/demos/scheduler_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <set>
#include <stdexcept>
#include <utility>

#include "model/nearest_name.hpp"
#include "model/process_manager.hpp"
#include "scheduling/decisions/decision_loop.hpp"
#include "scheduling/demos/reduced_message.hpp"
#include "scheduling/policies/policy_registry.hpp"

namespace dpm {
namespace {

constexpr const char* kSchedulerName = "scheduler";

PolicyOptions policy_options(const SchedulerDescription& description) {
  PolicyOptions options;
  options.gain_min = description.gain_min;
  options.horizon = description.horizon;
  options.evaluations = description.evaluations;
  options.placement = description.placement;
  return options;
}

class Scheduler {
 public:
  Scheduler(MessageCalls& calls, const SchedulerDescription& description, std::unique_ptr<Policy> policy,
            TraceInfo initial, std::set<std::string> movable)
      : calls_(calls),
        decision_cpu_(description.decision_cpu),
        info_(std::move(initial)),
        movable_(std::move(movable)),
        policy_(std::move(policy)),
        window_({.length = description.window}),
        loop_({.window = description.window, .settling = description.settling, .hold = description.hold}, *policy_,
              [this](const JournalEntry& entry) { calls_.print_line(encode_entry(entry)); }) {
    window_.on_begin(info_);
  }

  [[noreturn]] void serve() {
    const LocalTime begin = calls_.local_time();
    for (;;) {
      const Message message = calls_.receive_message();
      calls_.compute(decision_cpu_);
      window_.set_now(std::max(window_.now(), calls_.local_time() - begin));
      const auto reduced = read_reduced(message.data);
      if (!reduced) throw std::runtime_error(reduced.error().what);
      take(*reduced);
      while (const auto move = loop_.next(view())) {
        const auto done = migrate_process(calls_, info_[move->process].name, info_[move->to].name);
        window_.set_now(std::max(window_.now(), calls_.local_time() - begin));
        if (done) moved_to_[move->process] = move->to;
        loop_.moved(window_, done ? "" : done.error().what);
      }
    }
  }

 private:
  void take(const Reduced& reduced) {
    for (std::size_t p = info_.processes.size(); p < reduced.processes.size(); ++p)
      info_.processes.push_back(reduced.processes[p]);
    for (std::size_t set = info_.channel_sets.size(); set < reduced.channel_sets.size(); ++set)
      info_.channel_sets.push_back(reduced.channel_sets[set]);
    machines_ = reduced.machines;
    window_.note_lost(reduced.lost_events);
    window_.on_events(reduced.events);
    follow_speeds();
    std::erase_if(moved_to_, [&](const auto& moved) {
      return moved.first.value < window_.loads().size() && window_.loads()[moved.first.value].machine == moved.second;
    });
  }

  // CPU times of the window are those of machines as fast as they are now: with another speed, it begins again.
  void follow_speeds() {
    bool has_changed = false;
    for (std::size_t m = 0; m < machines_.size() && m < info_.machines.size(); ++m)
      has_changed |= std::exchange(info_.machines[m].speed, machines_[m].speed) != machines_[m].speed;
    if (has_changed) window_.begin_again();
  }

  SystemView view() const {
    SystemView view{window_, info_.machines, {}, {}};
    for (std::size_t m = 0; m < machines_.size() && m < view.machines.size(); ++m)
      view.machines[m].accepts = view.machines[m].accepts && machines_[m].on;
    for (std::uint32_t p = 0; p < info_.processes.size(); ++p) {
      const bool seen = p < window_.loads().size() && window_.loads()[p].seen;
      const auto moved = moved_to_.find({p});
      view.machine_of.push_back(moved != moved_to_.end() ? moved->second
                                : seen                   ? window_.loads()[p].machine
                                                         : info_.processes[p].machine);
      view.may_move.push_back(seen && window_.loads()[p].alive && movable_.contains(info_.processes[p].name) &&
                              machines_[view.machine_of.back().value].on);
    }
    return view;
  }

  MessageCalls& calls_;
  Duration decision_cpu_;
  TraceInfo info_;
  std::set<std::string> movable_;
  std::unique_ptr<Policy> policy_;
  SlidingWindow window_;
  DecisionLoop loop_;
  std::vector<MachineNow> machines_;
  std::map<ProcessId, MachineId> moved_to_;  // of which no event has come from there
};

bool is_device(const Scenario& scenario, const MachineDescription& machine) {
  bool has_processes = false;
  for (const auto& process : scenario.processes) {
    if (process.machine != machine.name) continue;
    if (process.in_computation || !process.service) return false;
    has_processes = true;
  }
  return has_processes;
}

TraceInfo described(const Scenario& scenario) {
  TraceInfo info;
  info.delays = scenario.delays;
  info.properties = {.delays_known = true, .every_arrival_metered = true, .scripted = true};
  for (const auto& machine : scenario.machines) {
    info.machines.push_back({machine.name, machine.speed, machine.cores});
    info.machines.back().accepts = machine.accepts.value_or(!is_device(scenario, machine));
  }
  return info;
}

template <typename Items>
std::vector<std::string> names_of(const Items& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

Result<void> check_name(const std::string& kind, const std::string& name, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), name) != names.end()) return {};
  return Error{
      fmt::format("the scheduler wants {} '{}', which is not declared{}", kind, name, did_you_mean(name, names))};
}

}  // namespace

Result<void> add_scheduler(Scenario& scenario, const SchedulerDescription& description, const std::string& policy) {
  if (auto made = make_policy(policy, policy_options(description)); !made) return made.error();
  const auto machines = names_of(scenario.machines), processes = names_of(scenario.processes);
  if (std::find(processes.begin(), processes.end(), kSchedulerName) != processes.end())
    return Error{"a scenario with a scheduler must not have another process of that name"};
  std::string machine = description.machine;
  if (machine.empty()) machine = scenario.filters.empty() ? "" : scenario.filters.front().machine;
  if (machine.empty()) machine = scenario.machines.front().name;
  if (auto known = check_name("machine", machine, machines); !known) return known.error();
  std::set<std::string> movable(description.processes.begin(), description.processes.end());
  for (const auto& name : movable)
    if (auto known = check_name("process", name, processes); !known) return known.error();
  if (movable.empty())
    for (const auto& process : scenario.processes)
      if (process.in_computation) movable.insert(process.name);

  ProcessDescription scheduler;
  scheduler.name = kSchedulerName;
  scheduler.program_name = kSchedulerName;
  scheduler.machine = machine;
  scheduler.in_computation = false;
  scheduler.service = true;
  scheduler.program = [description, policy, movable, info = described(scenario)](MessageCalls& calls) {
    auto made = make_policy(policy, policy_options(description));
    Scheduler(calls, description, *std::move(made), info, movable).serve();
  };
  scenario.processes.push_back(std::move(scheduler));
  scenario.feedback = Feedback{kSchedulerName, description.every, reduce};
  scenario.meter.delayed_delivery = true;
  scenario.migration_state_bytes = description.state_bytes;
  return {};
}

std::vector<JournalEntry> journal_of(const std::vector<PrintedLine>& printed) {
  std::vector<JournalEntry> journal;
  for (const PrintedLine& line : printed) {
    if (line.process != kSchedulerName) continue;
    auto entry = decode_entry(line.text);
    if (!entry) continue;
    if (!journal.empty() && journal.back().number == entry->number)
      journal.back() = *std::move(entry);
    else
      journal.push_back(*std::move(entry));
  }
  return journal;
}

std::vector<PrintedLine> without_journal(const std::vector<PrintedLine>& printed) {
  std::vector<PrintedLine> others;
  for (const PrintedLine& line : printed)
    if (line.process != kSchedulerName || !decode_entry(line.text)) others.push_back(line);
  return others;
}

}  // namespace dpm

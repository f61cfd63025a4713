#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "model/nearest_name.hpp"
#include "scenarios/behaviour/step_walk.hpp"
#include "twin/twin.hpp"

namespace dpm::twin {
namespace {

// Whether every member has a machine of its own.
bool has_own_machines(const Twin& twin, const TwinGroup& group) {
  std::set<std::string> own(group.machines.begin(), group.machines.end());
  if (own.size() != group.machines.size() || own.size() < group.count) return false;
  return std::none_of(twin.groups.begin(), twin.groups.end(), [&](const TwinGroup& other) {
    return other.name != group.name && std::any_of(other.machines.begin(), other.machines.end(),
                                                   [&](const std::string& machine) { return own.count(machine) != 0; });
  });
}

TwinMachine& machine_of(Twin& twin, const std::string& name) {
  return *std::find_if(twin.machines.begin(), twin.machines.end(), [&](const auto& m) { return m.name == name; });
}

// A machine like `model`, with the same delays to the others. "back_3" gets "back_4" if that is free.
std::string add_machine_like(Twin& twin, const std::string& model) {
  std::size_t digits = model.size();
  while (digits > 0 && model[digits - 1] >= '0' && model[digits - 1] <= '9') --digits;
  const std::string base =
      digits < model.size() && digits > 0 && model[digits - 1] == '_' ? model.substr(0, digits) : model + "_";
  const auto taken = [&](const std::string& name) {
    return std::any_of(twin.machines.begin(), twin.machines.end(), [&](const auto& m) { return m.name == name; });
  };
  int number = 2;
  while (taken(base + std::to_string(number))) ++number;
  TwinMachine made = machine_of(twin, model);
  made.name = base + std::to_string(number);
  twin.machines.push_back(made);
  const auto pairs = twin.delays.pairs;
  for (const auto& pair : pairs) {
    PairClass copy = pair;
    if (pair.machine_a == model) copy.machine_a = made.name;
    if (pair.machine_b == model) copy.machine_b = made.name;
    if (pair.machine_a == model || pair.machine_b == model) twin.delays.pairs.push_back(copy);
  }
  return made.name;
}

// An unused machine of the simulated system from the same family: the replica of a member on back_3 goes to back_4.
std::string free_machine_like(Twin& twin, const std::string& model) {
  const std::size_t underscore = model.rfind('_');
  if (underscore == std::string::npos) return add_machine_like(twin, model);
  std::set<std::string> used;
  for (const auto& group : twin.groups) used.insert(group.machines.begin(), group.machines.end());
  for (const auto& machine : twin.machines) {
    const bool same_family =
        machine.name.rfind('_') == underscore && machine.name.compare(0, underscore, model, 0, underscore) == 0;
    if (same_family && used.count(machine.name) == 0) return machine.name;
  }
  return add_machine_like(twin, model);
}

void write_in_turn(Steps& steps, const std::string& group) {
  each_step(steps, [&](Step& step) {
    auto* send = std::get_if<steps::Send>(&step.what);
    if (send != nullptr && send->message.to.name == group && send->message.pick == Pick::random)
      send->message.pick = Pick::in_turn;
  });
}

bool mentions(Steps& steps, const TwinGroup& group) {
  bool found = false;
  const auto look = [&](const KindName&, const Whom& whom) { found = found || group.is_called(whom.name); };
  each_message(steps, {.sends = look, .takes = look});
  return found;
}

// A process as recorded knows only the processes that it met.
Result<void> check_can_be_more(Twin& twin, const TwinGroup& group) {
  if (group.as_recorded)
    return Error{
        fmt::format("'{}' repeats its recorded behaviour: one more of it would have nothing to do", group.name)};
  for (TwinGroup& other : twin.groups)
    if (other.as_recorded && mentions(other.program.start, group))
      return Error{fmt::format("'{}' repeats its recorded behaviour: it would not answer one more '{}'", other.name,
                               group.name)};
  return {};
}

template <typename Named>
Result<void> check_name(const std::string& kind, const std::string& name, const std::vector<Named>& all) {
  std::vector<std::string> names;
  for (const auto& known : all) names.push_back(known.name);
  if (std::find(names.begin(), names.end(), name) != names.end()) return {};
  return Error{fmt::format("no {} '{}' in the twin{}", kind, name, did_you_mean(name, names))};
}

Result<TwinGroup*> group_called(Twin& twin, const std::string& process) {
  if (TwinGroup* group = twin.find(process)) return group;
  return check_name("process or group", process, twin.groups).error();
}

void shorten(Quantity& amount, double speed) {
  amount.first.number /= speed;
  amount.second.number /= speed;
  for (double& value : amount.values) value /= speed;
}

void shorten(Steps& steps, double speed) {
  each_step(steps, [&](Step& step) {
    if (auto* compute = std::get_if<steps::Compute>(&step.what)) shorten(compute->amount, speed);
  });
}

Result<void> change(Twin& twin, const SpeedChange& change) {
  const auto group = group_called(twin, change.process);
  if (!group) return group.error();
  if (auto checked = check(change); !checked) return checked;
  shorten((*group)->program.start, change.factor);
  for (auto& handler : (*group)->program.handlers) shorten(handler.steps, change.factor);
  return {};
}

Result<void> change(Twin& twin, const CoresChange& change) {
  if (auto known = check_name("machine", change.machine, twin.machines); !known) return known.error();
  if (auto checked = check(change); !checked) return checked;
  machine_of(twin, change.machine).cores = change.cores;
  return {};
}

Result<void> change(Twin& twin, const DelayChange& change) {
  const std::string here = fmt::format("delay of '{}': ", change.ends);
  if (auto checked = check(change); !checked) return checked;
  if (change.ends == kAllMachines) {
    scale_delays(twin.delays, change.factor);
    return {};
  }
  // Names of machines may contain '-', so every '-' is tried as the separator.
  Result<void> refused = Error{here + "expected two machines, A-B, or all"};
  for (std::size_t dash = change.ends.find('-'); dash != std::string::npos; dash = change.ends.find('-', dash + 1)) {
    const std::string a = change.ends.substr(0, dash), b = change.ends.substr(dash + 1);
    refused = check_name("machine", a, twin.machines);
    if (refused) refused = check_name("machine", b, twin.machines);
    if (refused && a == b) refused = Error{here + "a link joins two different machines"};
    if (!refused) continue;
    scale_delays(twin.delays, a, b, change.factor);
    return {};
  }
  return refused;
}

Result<void> change(Twin& twin, const ReplicaChange& change) {
  const std::string& process = change.process;
  const auto found = group_called(twin, process);
  if (!found) return found.error();
  TwinGroup& group = **found;
  const std::string here = fmt::format("replicas of '{}': ", process);
  if (!change.machine.empty()) return Error{here + "in a twin each has a machine of its own"};
  if (auto checked = check(change); !checked) return checked;
  if (auto can = check_can_be_more(twin, group); !can) return can.error();
  while (group.machines.size() < group.count) group.machines.push_back(group.machines.back());
  for (std::uint32_t copy = 2; copy <= change.copies; ++copy) {
    const std::string machine = free_machine_like(twin, group.machines.back());
    group.machines.push_back(machine);
    ++group.count;
  }
  group.counted = true;
  for (auto& other : twin.groups) {
    write_in_turn(other.program.start, process);
    for (auto& handler : other.program.handlers) write_in_turn(handler.steps, process);
  }
  return {};
}

template <typename Change>
Result<void> change_all(Twin& twin, const std::vector<Change>& changes) {
  for (const auto& one : changes)
    if (auto done = change(twin, one); !done) return done;
  return {};
}

}  // namespace

Result<void> multiply_clients(Twin& twin, double factor) {
  if (!(factor > 0) || factor > 1000) return Error{"clients can be multiplied by more than 0 and at most 1000"};
  const bool any_outside = std::any_of(twin.groups.begin(), twin.groups.end(), [](const TwinGroup& group) {
    return group.starts_requests && !group.in_computation;
  });
  bool any = false;
  for (auto& group : twin.groups) {
    if (!group.starts_requests || (any_outside && group.in_computation)) continue;
    if (auto can = check_can_be_more(twin, group); !can) return can.error();
    const bool own = has_own_machines(twin, group);
    const auto wanted = static_cast<std::size_t>(std::llround(static_cast<double>(group.count) * factor));
    group.counted = true;
    group.count = std::max<std::size_t>(1, wanted);
    while (own && group.machines.size() < group.count) {
      std::string machine = free_machine_like(twin, group.machines.back());
      group.machines.push_back(std::move(machine));
    }
    any = true;
  }
  if (any) return {};
  return Error{"no process of this trace is a client: each does something on messages that others begin"};
}

Result<void> apply(Twin& twin, const WhatIf& what_if) {
  if (auto done = change_all(twin, what_if.speeds); !done) return done;
  if (auto done = change_all(twin, what_if.cores); !done) return done;
  if (auto done = change_all(twin, what_if.delays); !done) return done;
  return change_all(twin, what_if.replicas);
}

}  // namespace dpm::twin

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
    return Error{fmt::format("'{}' is as recorded: it does what it did, and one more of it would not", group.name)};
  for (TwinGroup& other : twin.groups)
    if (other.as_recorded && mentions(other.program.start, group))
      return Error{fmt::format("'{}' is as recorded: it would not answer one more '{}'", other.name, group.name)};
  return {};
}

PiecewiseLinear slower(const PiecewiseLinear& delay, double speed) {
  auto points = delay.points();
  for (auto& point : points) point.second /= speed;
  return points.empty() ? delay : *PiecewiseLinear::through(points);
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

Result<void> replicate(Twin& twin, const std::string& process) {
  TwinGroup* group = twin.find(process);
  if (group == nullptr) {
    std::vector<std::string> names;
    for (const auto& known : twin.groups) names.push_back(known.name);
    return Error{fmt::format("no process or group '{}' in the twin{}", process, did_you_mean(process, names))};
  }
  if (auto can = check_can_be_more(twin, *group); !can) return can.error();
  const std::string machine = free_machine_like(twin, group->machines.back());
  while (group->machines.size() < group->count) group->machines.push_back(group->machines.back());
  group->machines.push_back(machine);
  group->counted = true;
  ++group->count;
  for (auto& other : twin.groups) {
    write_in_turn(other.program.start, process);
    for (auto& handler : other.program.handlers) write_in_turn(handler.steps, process);
  }
  return {};
}

Result<void> change_link(Twin& twin, const std::string& machine_a, const std::string& machine_b, double speed) {
  if (!(speed > 0) || speed > 1e6) return Error{"a link's speed is changed by a number greater than 0, at most 10^6"};
  if (machine_a == "all" && machine_b == "all") {
    twin.delays.remote.delivery_s = slower(twin.delays.remote.delivery_s, speed);
    for (auto& pair : twin.delays.pairs) pair.delays.delivery_s = slower(pair.delays.delivery_s, speed);
    return {};
  }
  std::vector<std::string> names;
  for (const auto& machine : twin.machines) names.push_back(machine.name);
  for (const auto& machine : {machine_a, machine_b})
    if (std::find(names.begin(), names.end(), machine) == names.end())
      return Error{fmt::format("no machine '{}' in the twin{}", machine, did_you_mean(machine, names))};
  if (machine_a == machine_b)
    return Error{fmt::format("a link joins two different machines, not '{}' and itself", machine_a)};
  for (auto& pair : twin.delays.pairs) {
    const bool same = (pair.machine_a == machine_a && pair.machine_b == machine_b) ||
                      (pair.machine_a == machine_b && pair.machine_b == machine_a);
    if (!same) continue;
    pair.delays.delivery_s = slower(pair.delays.delivery_s, speed);
    return {};
  }
  DelayClass changed = twin.delays.remote;
  changed.delivery_s = slower(changed.delivery_s, speed);
  twin.delays.pairs.push_back({machine_a, machine_b, changed});
  return {};
}

}  // namespace dpm::twin

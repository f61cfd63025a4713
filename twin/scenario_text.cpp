// The file that `dpm twin` writes. What users change is at its top: how many processes each group has, and how often
// clients repeat what they do.
#include "twin/scenario_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "scenarios/behaviour/step_walk.hpp"
#include "scenarios/behaviour/step_writer.hpp"
#include "scenarios/document/json_layout.hpp"
#include "twin/making_steps.hpp"

namespace dpm::twin {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::uint64_t kMessagesMost = 100;  // times those of the trace: a run that makes more is endless

// Nanoseconds: more digits would only seem exact.
Json in_seconds(double value) { return std::round(value * 1e9) / 1e9; }

// How often a process repeats its work is a parameter of the file.
void add_parameters(Steps& steps, Json& parameters) {
  each_step(steps, [&](Step& step) {
    const auto* repeat = std::get_if<steps::Repeat>(&step.what);
    if (repeat == nullptr || repeat->times.written.empty()) return;
    parameters[repeat->times.written.substr(1)] = {{"default", repeat->times.count()},
                                                   {"meaning", "how often each repeats its work"}};
  });
}

Json program_of(const TwinProgram& program, Json& parameters) {
  Steps start = program.start;
  std::vector<Handler> handlers = program.handlers;
  add_parameters(start, parameters);
  for (const auto& unread : program.unread) {
    if (program.handlers.empty()) {
      start.push_back(repeat_step({0}, {wait_step(unread.kind, unread.from)}));
    } else {
      handlers.push_back({{{unread.kind}}, {unread.from}, {}});
    }
  }
  Json result = Json::object();
  for (const auto& variable : program.variables) result["variables"][variable] = 0;
  if (!program.admits_from.empty())
    result["admits"] = {{"from", program.admits_from}, {"at_most", program.admits_at_most}};
  if (!start.empty() || handlers.empty()) result["start"] = written(start);
  for (const auto& handler : handlers) result["on"].push_back(written(handler));
  return result;
}

// ---- delays and machines

Json points_of(const PiecewiseLinear& line) {
  if (line.points().empty()) return 0;
  Json points = Json::array();
  for (const auto& [bytes, value] : line.points()) points.push_back(Json::array({bytes, in_seconds(value)}));
  return points;
}

Json delay_class(const DelayClass& delays) {
  Json result = {{"delivery_s", points_of(delays.delivery_s)}};
  if (!delays.sender_cpu_s.points().empty()) result["sender_cpu_s"] = points_of(delays.sender_cpu_s);
  if (!delays.receiver_cpu_s.points().empty()) result["receiver_cpu_s"] = points_of(delays.receiver_cpu_s);
  return result;
}

Json delays_of(const Twin& twin) {
  Json delays = {{"name", twin.delays.name.empty() ? "zero" : twin.delays.name},
                 {"local", delay_class(twin.delays.local)},
                 {"remote", delay_class(twin.delays.remote)}};
  Json pairs = Json::array();
  for (const auto& pair : twin.delays.pairs) {
    Json written = {{"machines", {pair.machine_a, pair.machine_b}}};
    written.update(delay_class(pair.delays));
    pairs.push_back(std::move(written));
  }
  if (!pairs.empty()) delays["pairs"] = std::move(pairs);
  return delays;
}

// The base name of machines desk_1 .. desk_n that belong to the members of one group, one each; empty if there is none.
std::string family_of(const Twin& twin, const TwinGroup& group) {
  if (!group.counted || group.machines.size() != group.count || twin.delays.pairs.size() > 0) return "";
  const std::string& first = group.machines.front();
  if (first.size() < 3 || first.substr(first.size() - 2) != "_1") return "";
  const std::string base = first.substr(0, first.size() - 2);
  for (std::size_t i = 0; i < group.machines.size(); ++i)
    if (group.machines[i] != fmt::format("{}_{}", base, i + 1)) return "";
  std::size_t in_family = 0;
  for (const auto& machine : twin.machines) in_family += machine.name.compare(0, base.size() + 1, base + "_") == 0;
  if (in_family != group.machines.size()) return "";
  for (const auto& other : twin.groups)
    if (other.name != group.name)
      for (const auto& machine : other.machines)
        if (machine.compare(0, base.size() + 1, base + "_") == 0) return "";
  const auto& model = twin.machines;
  const auto same = [&](const auto& machine) {
    return machine.name.compare(0, base.size() + 1, base + "_") != 0 || (machine.speed == 1 && machine.cores == 1);
  };
  return std::all_of(model.begin(), model.end(), same) ? base : "";
}

Json machine_of(const TwinMachine& machine) {
  if (machine.speed == 1 && machine.cores == 1) return machine.name;
  Json result = {{"name", machine.name}};
  if (machine.speed != 1) result["speed"] = machine.speed;
  if (machine.cores != 1) result["cores"] = machine.cores;
  return result;
}

bool is_of(const std::string& machine, const std::string& family) {
  return machine.compare(0, family.size() + 1, family + "_") == 0;
}

std::string count_parameter(const TwinGroup& group) { return group.name + "_count"; }

Json process_of(const TwinGroup& group, const std::string& family) {
  Json process = {{"name", group.name}};
  if (group.counted) process["count"] = "$" + count_parameter(group);
  process["program"] = group.name;
  const bool one_machine = std::all_of(group.machines.begin(), group.machines.end(),
                                       [&](const auto& machine) { return machine == group.machines.front(); });
  if (!family.empty()) {
    process["machine"] = family;
  } else {
    process["machine"] = one_machine ? Json(group.machines.front()) : Json(group.machines);
  }
  if (!group.in_computation) process["in_computation"] = false;
  return process;
}

// Families first, each with as many machines as its group has members; then the single machines.
Json machines_of(const Twin& twin) {
  Json machines = Json::array();
  std::set<std::string> families;
  for (const auto& group : twin.groups) {
    const std::string family = family_of(twin, group);
    if (family.empty()) continue;
    families.insert(family);
    machines.push_back({{"name", family}, {"count", "$" + count_parameter(group)}});
  }
  for (const auto& machine : twin.machines) {
    const bool in_family = std::any_of(families.begin(), families.end(),
                                       [&](const std::string& family) { return is_of(machine.name, family); });
    if (!in_family) machines.push_back(machine_of(machine));
  }
  return machines;
}

}  // namespace

std::string scenario_text(const Twin& twin) {
  Json parameters = Json::object(), programs = Json::object(), processes = Json::array();
  for (const auto& group : twin.groups) {
    if (group.counted)
      parameters[count_parameter(group)] = {{"default", group.count}, {"meaning", "processes " + group.name}};
    programs[group.name] = program_of(group.program, parameters);
    processes.push_back(process_of(group, family_of(twin, group)));
  }
  Json scenario = {{"name", twin.name}, {"summary", fmt::format("Made by dpm twin from {} events.", twin.events)}};
  if (!parameters.empty()) scenario["parameters"] = std::move(parameters);
  scenario["machines"] = machines_of(twin);
  scenario["delays"] = delays_of(twin);
  if (twin.services_finish) {
    scenario["services_finish"] = true;
    // A change may make services send to each other without end.
    scenario["message_limit"] = kMessagesMost * twin.expected.all_messages() + 10000;
  }
  if (!twin.codes.empty()) {
    Json kinds = Json::object();
    for (const auto& [kind, code] : twin.codes) kinds[kind] = code;
    scenario["kinds"] = std::move(kinds);
  }
  scenario["programs"] = std::move(programs);
  scenario["processes"] = std::move(processes);
  scenario["analyses"] = {"statistics", "queues", "parallelism"};
  return laid_out(scenario);
}

}  // namespace dpm::twin

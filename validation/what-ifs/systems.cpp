#include "validation/what-ifs/systems.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "model/random.hpp"
#include "validation/common/need.hpp"
#include "validation/program_generator/random_program.hpp"
#include "validation/what-ifs/changed_scenario.hpp"

namespace dpm::validation {
namespace {

using Json = nlohmann::ordered_json;

// Whether programs' draws follow from the message alone; counters remember across clients.
bool follows_messages(const Json& file) {
  const std::string text = file.dump();
  for (const char* word : {"\"count\":\"", "\"in_turn\"", "\"wait\""})
    if (text.find(word) != std::string::npos) return false;
  for (const auto& [name, program] : file["programs"].items())
    if (program.contains("on") && !program.value("per_request", false)) return false;
  return true;
}

TriedSystem random_system(std::uint64_t seed) {
  const RandomProgram program = random_program(seed);
  const auto& placements = program.file.placement_names;
  const std::string& placement = placements[seed / kFamilyCount % placements.size()];
  return {fmt::format("{}, {}", program.name(), placement), TracedRun(instance(program.file, placement, {}, seed)),
          std::nullopt,
          follows_messages(Json::parse(program.text)) ? TriedSystem::Memory::none : TriedSystem::Memory::programs};
}

TriedSystem shipped_system(const std::string& name, const std::string& placement,
                           std::map<std::string, double> parameters, std::optional<Order> order,
                           TriedSystem::Memory memory) {
  const ScenarioFile file = shipped_scenario(scenarios_folder() / name);
  return {fmt::format("{}, {}", name, placement), TracedRun(instance(file, placement, std::move(parameters))), order,
          memory};
}

double cpu_s(const TriedSystem& system, std::size_t process) {
  return static_cast<double>(system.run.truth.processes[process].cpu_time_ns) * 1e-9;
}

// Machines by how much time the messages between them took together.
std::vector<std::pair<double, std::pair<std::string, std::string>>> links_by_use(const TriedSystem& system) {
  const History& history = system.run.history;
  std::map<std::pair<std::string, std::string>, double> used_s;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    for (const HistoryEvent& event : history.of(ProcessId{p})) {
      if (event.kind() != HistoryKind::send || event.match == kNoEvent) continue;
      std::string from = history.info[history.info.processes[p].machine].name;
      std::string to = history.info[history.info.processes[event.peer].machine].name;
      if (from == to) continue;
      if (to < from) std::swap(from, to);
      used_s[{from, to}] += DelayModel::delivery(history.info.delays.between(from, to), event.length_bytes).seconds();
    }
  }
  std::vector<std::pair<double, std::pair<std::string, std::string>>> links;
  for (const auto& [ends, seconds] : used_s) links.push_back({seconds, ends});
  std::sort(links.rbegin(), links.rend());
  return links;
}

std::string number(double value) {
  std::string text = std::to_string(value);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

TriedChange speed_change(const std::string& process, double factor) {
  return {TriedChange::Kind::speed,
          fmt::format("speed {}={}", process, number(factor)),
          {.speeds = {{process, factor}}},
          [=](Scenario& scenario) { speed_up(scenario, process, factor); }};
}

TriedChange link_change(const std::string& a, const std::string& b, double factor) {
  return {TriedChange::Kind::link,
          fmt::format("link {}-{}={}", a, b, number(factor)),
          {.delays = {{fmt::format("{}-{}", a, b), factor}}},
          [=](Scenario& scenario) { lengthen_link(scenario, a, b, factor); }};
}

TriedChange cores_change(const std::string& machine, std::uint16_t cores) {
  return {TriedChange::Kind::cores,
          fmt::format("cores {}={}", machine, cores),
          {.cores = {{machine, cores}}},
          [=](Scenario& scenario) { give_cores(scenario, machine, cores); }};
}

TriedChange together(const std::vector<TriedChange>& changes) {
  TriedChange all{TriedChange::Kind::together, "", {}, {}};
  for (const auto& change : changes) {
    all.words += (all.words.empty() ? "" : ", ") + change.words;
    const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
    append(all.what_if.speeds, change.what_if.speeds);
    append(all.what_if.delays, change.what_if.delays);
    append(all.what_if.cores, change.what_if.cores);
  }
  all.make = [changes](Scenario& scenario) {
    for (const auto& change : changes) change.make(scenario);
  };
  return all;
}

// ---- copies of servers

// The draws do not decide which of the group is written to: take_turns() does.
void write_in_turn(Json& node, const std::string& server) {
  if (node.is_object() && node.contains("to") && node["to"] == server) node["pick"] = "in_turn";
  if (!node.is_structured()) return;
  for (auto& child : node) write_in_turn(child, server);
}

// The one process of this name becomes a group, each member on its own machine.
std::string with_group(Json file, const std::string& server, std::uint64_t count) {
  const auto& first = file["machines"].front();
  Json copies = {{"name", "copies"}, {"count", count - 1}};
  std::map<std::string, double> speed_of;
  for (const auto& machine : file["machines"])
    if (machine.contains("speed")) speed_of[machine["name"]] = machine["speed"];
  if (first.contains("speed")) copies["speed"] = speed_of[file["placements"]["spread"][server]];
  file["machines"].push_back(std::move(copies));
  for (auto& process : file["processes"])
    if (process["name"] == server) process["count"] = count;
  for (auto& [name, placement] : file["placements"].items()) {
    Json places = Json::array({placement[server]});
    for (std::uint64_t i = 1; i < count; ++i) places.push_back("copies_" + std::to_string(i));
    placement[server] = std::move(places);
  }
  write_in_turn(file, server);
  return file.dump();
}

TriedReplicas replicated(const RandomProgram& program, const std::string& server, std::uint64_t count,
                         bool message_driven) {
  const std::string placement = "spread";
  TracedRun traced(instance(program.file, placement, {}, program.seed));
  auto file = need(parse_scenario(with_group(Json::parse(program.text), server, count), "replicas.json", {}));
  Scenario several = instance(file, placement, {}, program.seed);
  std::vector<std::string> group;
  for (std::uint64_t i = 1; i <= count; ++i) group.push_back(fmt::format("{}_{}", server, i));
  const Json programs = Json::parse(program.text)["programs"];  // the others reply to the processes that wrote to them
  for (const auto& [name, steps] : programs.items())
    if (steps.dump().find(fmt::format("\"to\":\"{}\"", server)) != std::string::npos) take_turns(several, name, group);
  draw_alike(several, group, server);
  WhatIf what_if{.replicas = {{server, static_cast<std::uint32_t>(count)}}};
  return {fmt::format("{}, {} of '{}'", program.name(), count, server), std::move(traced),
          TracedRun(std::move(several)), std::move(what_if), message_driven};
}

TriedReplicas replicated_service(std::uint64_t count) {
  const ScenarioFile file = shipped_scenario(scenarios_folder() / "replicated-service");
  const auto with = [&](std::uint64_t replicas) {
    return instance(file, "spread", {{"replicas", static_cast<double>(replicas)}}, 1);
  };
  Scenario several = with(count);
  std::vector<std::string> group;
  for (std::uint64_t i = 1; i <= count; ++i) group.push_back("replica_" + std::to_string(i));
  draw_alike(several, group, "replica_1");
  WhatIf what_if{.replicas = {{"replica_1", static_cast<std::uint32_t>(count)}}};
  return {fmt::format("replicated-service, {} of 'replica_1'", count), TracedRun(with(1)),
          TracedRun(std::move(several)), std::move(what_if), true};
}

// Processes of which there is one, and which react to the message alone.
std::vector<std::string> servers_of(const Json& file) {
  std::vector<std::string> servers;
  if (file.dump().find("\"count\":\"") != std::string::npos) return servers;  // something counts
  for (const auto& process : file["processes"]) {
    const auto& program = file["programs"][process["program"].get<std::string>()];
    if (process.contains("count") || !program.contains("on") || !program.value("per_request", false)) continue;
    servers.push_back(process["name"]);
  }
  return servers;
}

}  // namespace

std::vector<std::function<TriedSystem()>> tried_systems(std::uint64_t programs, bool quick) {
  std::vector<std::function<TriedSystem()>> systems;
  for (const char* placement : {"A", "B", "C"}) {
    for (const double users : {4., 7.}) {
      if (quick && (*placement != 'A' || users != 4)) continue;
      for (const double oblivious : {0., 1.}) {
        const auto memory = oblivious == 1 ? TriedSystem::Memory::none : TriedSystem::Memory::cache;
        systems.emplace_back([=] {
          return shipped_system("file-system", placement, {{"users", users}, {"oblivious", oblivious}}, std::nullopt,
                                memory);
        });
      }
    }
  }
  for (const char* placement : {"one-per-machine", "two-per-machine", "single"}) {
    if (quick && std::string(placement) != "two-per-machine") continue;
    systems.emplace_back([=] {
      return shipped_system("tsp", placement, {{"size", 12}, {"servers", 8}}, Order::role, TriedSystem::Memory::none);
    });
  }
  for (std::uint64_t seed = 1; seed <= programs; ++seed) systems.emplace_back([=] { return random_system(seed); });
  return systems;
}

std::vector<TriedChange> changes_of(const TriedSystem& system, std::uint64_t seed) {
  Random random = Random::stream(seed, "what if");
  const Scenario& scenario = system.run.scenario;
  std::vector<TriedChange> changes;
  std::size_t busiest = 0;
  for (std::size_t p = 1; p < scenario.processes.size(); ++p)
    if (cpu_s(system, p) > cpu_s(system, busiest)) busiest = p;
  changes.push_back(speed_change(scenario.processes[busiest].name, 2));
  changes.push_back(speed_change(scenario.processes[random.below(scenario.processes.size())].name, .5));
  const auto links = links_by_use(system);
  if (!links.empty()) {
    changes.push_back(link_change(links[0].second.first, links[0].second.second, .25));
    const auto& [a, b] = links[random.below(links.size())].second;
    changes.push_back(link_change(a, b, 3));
  }
  std::map<std::string, std::size_t> processes_on;
  for (const auto& process : scenario.processes) ++processes_on[process.machine];
  const auto fullest = std::max_element(processes_on.begin(), processes_on.end(),
                                        [](const auto& a, const auto& b) { return a.second < b.second; });
  if (fullest->second > 1) changes.push_back(cores_change(fullest->first, 2));
  changes.push_back(together(changes));
  return changes;
}

std::vector<std::function<TriedReplicas()>> tried_replicas(std::uint64_t driven) {
  std::vector<std::function<TriedReplicas()>> tried;
  for (const std::uint64_t count : {2u, 3u}) tried.emplace_back([=] { return replicated_service(count); });
  std::uint64_t still_driven = driven - tried.size(), still_others = driven / 2;
  for (std::uint64_t seed = 1; still_driven > 0; ++seed) {
    const RandomProgram program = random_program(seed, Family::client_server);
    const Json file = Json::parse(program.text);
    const bool is_driven = follows_messages(file);
    std::uint64_t& still = is_driven ? still_driven : still_others;
    for (const auto& server : servers_of(file)) {
      if (still == 0) break;
      --still;
      const std::uint64_t count = 2 + seed % 2;
      tried.emplace_back([=] { return replicated(program, server, count, is_driven); });
    }
  }
  return tried;
}

}  // namespace dpm::validation

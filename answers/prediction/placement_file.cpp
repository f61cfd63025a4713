#include "answers/prediction/placement_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "os/new_file.hpp"
#include "scenarios/document/reading.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kFileBytesMax = 16 * 1024 * 1024;
constexpr const char* kExample = R"({"processes": {"PROCESS": "MACHINE", ...}})";

const KeyTable kPlacement{"placement", "a placement", {"name", "delay", "replicas", "machines", "processes"}};
const KeyTable kMachine{"placement_machine", "a machine", {"name", "speed", "cores", "cpus"}};
constexpr Range kSpeed{0, 1e9, true};
constexpr Range kCoreCount{1, std::numeric_limits<std::uint16_t>::max()};
constexpr Range kDelay{0, kLargestFactor};
constexpr Range kCopies{1, kMostCopies};
constexpr Range kCpu{0, std::numeric_limits<std::uint16_t>::max()};

PlacementMachine read_machine(const JsonNode& node, const Reading& reading) {
  ObjectReader object(node, kMachine, reading);
  PlacementMachine machine{object.needed_text("name"), {}, {}};
  if (object.has("speed")) machine.speed = object.number("speed", 1, kSpeed);
  if (object.has("cores")) machine.cores = static_cast<std::uint16_t>(object.whole("cores", 1, kCoreCount));
  const JsonNode* cpus = object.find("cpus");
  if (cpus == nullptr || !reading.expect(*cpus, JsonKind::list, "'cpus'")) return machine;
  for (const JsonNode& cpu : cpus->items) reading.whole(cpu, "a number in 'cpus'", kCpu);
  const std::size_t count = cpus->items.size();
  if (count == 0 || !in_range(static_cast<double>(count), kCoreCount))
    reading.problem(*cpus, "'cpus' must be a list of CPU numbers, with at least one");
  if (machine.cores && *machine.cores != count)
    reading.problem(node, fmt::format("machine '{}' has {} cores but names {} cpus; give one of the two", machine.name,
                                      *machine.cores, count));
  machine.cores = static_cast<std::uint16_t>(count);
  return machine;
}

std::vector<PlacementMachine> read_machines(const JsonNode& list, const Reading& reading) {
  std::vector<PlacementMachine> machines;
  std::set<std::string> names;
  for (const JsonNode& node : list.items) {
    machines.push_back(read_machine(node, reading));
    const std::string& name = machines.back().name;
    if (!name.empty() && !names.insert(name).second)
      reading.problem(node, fmt::format("machine '{}' is described twice", name));
  }
  return machines;
}

WhatIf read_changes(ObjectReader& object, const Reading& reading) {
  WhatIf changes;
  if (object.has("delay")) changes.delays.push_back({kAllMachines, object.number("delay", 1, kDelay)});
  const JsonNode* replicas = object.find("replicas");
  if (replicas == nullptr || !reading.expect(*replicas, JsonKind::object, "'replicas'")) return changes;
  for (const auto& [process, line, copies] : replicas->members) {
    const std::uint64_t count = reading.whole(copies, fmt::format("the copies of process '{}'", process), kCopies);
    if (count >= 2) changes.replicas.push_back({.process = process, .copies = static_cast<std::uint32_t>(count)});
  }
  return changes;
}

PlacementFile read_placement(const JsonNode& document, const std::string& path, const Reading& reading) {
  ObjectReader object(document, kPlacement, reading);
  PlacementFile file;
  file.placement.name = object.text("name", path);
  file.changes = read_changes(object, reading);
  const JsonNode* machines = object.find("machines");
  const bool changes_something = machines != nullptr || object.has("delay") || object.has("replicas");
  const JsonNode* processes = changes_something ? object.find("processes") : object.need("processes");
  file.line = processes == nullptr ? document.line : processes->line;
  if (processes != nullptr && reading.expect(*processes, JsonKind::object, "'processes'")) {
    for (const auto& [process, line, machine] : processes->members) {
      file.placement.machine_of_process[process] =
          reading.text(machine, fmt::format("the machine of process '{}'", process));
      file.line_of_process[process] = line;
    }
  }
  if (machines != nullptr && reading.expect(*machines, JsonKind::list, "'machines'"))
    file.machines = read_machines(*machines, reading);
  return file;
}

}  // namespace

Result<PlacementFile> load_placement(const std::string& path) {
  const auto expected = [](const std::string& what) { return Error{what + "\nexpected " + kExample}; };
  const auto text = read_text_file(path, kFileBytesMax);
  if (!text) return Error{"placement: " + text.error().what};
  if (text->empty()) return expected(path + ": the file is empty");
  const auto document = parse_json(*text, path);
  if (!document) return expected(document.error().what);
  Problems problems(path);
  const Environment no_names;
  PlacementFile file = read_placement(*document, path, {problems, no_names});
  if (!problems.empty()) return expected(problems.error().what);
  return file;
}

Result<PlacementFile> load_real_placement(const std::string& path) {
  auto file = load_placement(path);
  if (file && !file->changes.empty())
    return Error{path +
                 ": a program that runs is placed as it is: only dpm predict understands 'delay' and 'replicas'; "
                 "remove them"};
  return file;
}

std::vector<std::string> PlacementFile::machine_names() const {
  std::vector<std::string> names;
  for (const auto& machine : machines) names.push_back(machine.name);
  return names;
}

namespace {

Result<ResolvedTarget> resolved_from(const History& history, const PlacementFile& file, const std::string& path) {
  std::vector<MachineInfo> machines = history.info.machines;
  for (const auto& machine : file.machines) {
    const auto same =
        std::find_if(machines.begin(), machines.end(), [&](const auto& m) { return m.name == machine.name; });
    MachineInfo& described = same == machines.end() ? machines.emplace_back(MachineInfo{machine.name}) : *same;
    described.speed = machine.speed.value_or(described.speed);
    described.cores = machine.cores.value_or(described.cores);
  }
  const bool changes_something = !file.machines.empty() || !file.changes.empty();
  if (file.placement.machine_of_process.empty() && changes_something) {
    Target target = traced_target(history);
    target.placement = file.placement.name;
    target.machines = std::move(machines);
    return ResolvedTarget{std::move(target), {}};
  }
  Problems problems(path);
  for (const auto& mistake : mistakes_in(file.placement, history, machines))
    problems.add(mistake.process.empty() ? file.line : file.line_of_process.at(mistake.process), mistake.what);
  if (!problems.empty()) return problems.error();
  return resolve(history, file.placement, std::move(machines), history.info.delays);
}

Result<FileTarget> target_from(const History& history, const PlacementFile& file, const std::string& path) {
  const auto here = [&](const Error& error) { return Error{path + ": " + error.what}; };
  FileTarget found;
  if (!file.changes.replicas.empty()) {
    auto copy = std::make_shared<History>(history);
    if (auto added = add_copies(file.changes, *copy); !added) return here(added.error());
    found.with_copies = std::move(copy);
  }
  auto resolved = resolved_from(found.history(history), file, path);
  if (!resolved) return resolved.error();
  found.target = std::move(resolved->target);
  found.left_out = std::move(resolved->left_out);
  // Copies that the file does not place are each on a machine of its own.
  std::erase_if(found.left_out, [&](const std::string& name) {
    return std::ranges::none_of(history.info.processes, [&](const ProcessInfo& p) { return p.name == name; });
  });
  auto notes = apply(file.changes, found.history(history), found.target);
  if (!notes) return here(notes.error());
  found.notes = *std::move(notes);
  found.changes = file.changes;
  return found;
}

}  // namespace

Result<FileTarget> target_from(const History& history, const std::string& path) {
  if (path.empty()) return FileTarget{.target = traced_target(history), .left_out = {}, .notes = {}};
  const auto file = load_placement(path);
  if (!file) return file.error();
  return target_from(history, *file, path);
}

Result<FileTarget> target_without_copies(const History& history, const std::string& path) {
  auto found = target_from(history, path);
  if (found && found->with_copies)
    return Error{path + ": only dpm predict, without --search, understands 'replicas'; remove them"};
  return found;
}

std::string placement_text(const History& history, const Target& target, const WhatIf& changes) {
  nlohmann::ordered_json document = nlohmann::ordered_json::object();
  if (!target.placement.empty()) document["name"] = target.placement;
  double delay = 1;
  for (const DelayChange& change : changes.delays)
    if (change.ends == kAllMachines) delay *= change.factor;
  if (delay != 1) document["delay"] = delay;
  for (const ReplicaChange& change : changes.replicas) document["replicas"][change.process] = change.copies;
  std::set<std::string> used;
  nlohmann::ordered_json processes = nlohmann::ordered_json::object();
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const ProcessInfo& process = history.info.processes[p];
    const bool is_thread = process.group.value < history.info.processes.size();  // it moves with its process
    if (is_thread || history.of(ProcessId{p}).empty()) continue;
    const std::string& machine = target.machines[target.machine_of[p].value].name;
    used.insert(machine);
    processes[process.name] = machine;
  }
  for (const MachineInfo& machine : target.machines) {
    const auto& traced = history.info.machines;
    const auto same = std::find_if(traced.begin(), traced.end(), [&](const auto& m) { return m.name == machine.name; });
    const bool is_known = same != traced.end() && same->speed == machine.speed && same->cores == machine.cores;
    if (is_known || !used.contains(machine.name)) continue;
    document["machines"].push_back({{"name", machine.name}, {"speed", machine.speed}, {"cores", machine.cores}});
  }
  document["processes"] = std::move(processes);
  return document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Result<void> write_placement(const std::string& path, const History& history, const Target& target,
                             const WhatIf& changes) {
  return write_new_file(path, placement_text(history, target, changes));
}

Result<std::vector<std::string>> place_as_traced(History& history, const std::string& path) {
  if (const auto file = load_real_placement(path); !file) return file.error();
  const auto resolved = target_from(history, path);
  if (!resolved) return resolved.error();
  const Target& target = resolved->target;
  history.info.machines = target.machines;
  history.info.placement = target.placement;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) history.info.processes[p].machine = target.machine_of[p];
  return resolved->left_out;
}

}  // namespace dpm::cli

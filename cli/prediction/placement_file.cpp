#include "cli/prediction/placement_file.hpp"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "cli/new_file.hpp"
#include "model/nearest_name.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kFileBytesMax = 16 * 1024 * 1024;
constexpr const char* kExample = R"({"processes": {"PROCESS": "MACHINE", ...}})";

Result<Json> read_json(const std::string& path) {
  const auto text = read_text_file(path, kFileBytesMax);
  if (!text) return Error{"placement: " + text.error().what};
  if (text->empty()) return Error{path + ": the file is empty; expected " + kExample};
  try {
    return Json::parse(*text);
  } catch (const Json::parse_error& wrong) {
    const auto end = text->begin() + static_cast<std::ptrdiff_t>(std::min(wrong.byte, text->size()));
    const auto line = 1 + std::count(text->begin(), end, '\n');
    return Error{path + ":" + std::to_string(line) + ": not JSON; expected " + kExample + " (" + wrong.what() + ")"};
  } catch (const Json::exception& wrong) {  // a number out of range
    return Error{path + ": not JSON: " + wrong.what()};
  }
}

Result<void> check_keys(const std::string& where, const Json& object, const std::vector<std::string>& valid) {
  for (const auto& [key, value] : object.items())
    if (std::find(valid.begin(), valid.end(), key) == valid.end())
      return Error{where + ": no key '" + key + "' here" + did_you_mean(key, valid)};
  return {};
}

Result<PlacementMachine> read_machine(const std::string& path, const Json& entry) {
  if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string())
    return Error{path + ": a machine needs a \"name\""};
  if (auto done = check_keys(path, entry, {"name", "speed", "cores", "cpus"}); !done) return done.error();
  PlacementMachine machine{entry["name"].get<std::string>(), {}, {}};
  if (entry.contains("speed")) {
    if (!entry["speed"].is_number() || !(entry["speed"].get<double>() > 0))
      return Error{path + ": the speed of machine '" + machine.name + "' must be a number greater than 0"};
    machine.speed = entry["speed"].get<double>();
  }
  if (entry.contains("cores")) {
    const auto& cores = entry["cores"];
    const bool sound = cores.is_number_unsigned() && cores.get<std::uint64_t>() > 0 &&
                       cores.get<std::uint64_t>() <= std::numeric_limits<std::uint16_t>::max();
    if (!sound)
      return Error{path + ": the cores of machine '" + machine.name + "' must be a whole number from 1 to 65535"};
    machine.cores = cores.get<std::uint16_t>();
  }
  if (!entry.contains("cpus")) return machine;
  const auto& cpus = entry["cpus"];
  const bool sound = cpus.is_array() && !cpus.empty() && cpus.size() <= std::numeric_limits<std::uint16_t>::max() &&
                     std::all_of(cpus.begin(), cpus.end(), [](const Json& cpu) { return cpu.is_number_unsigned(); });
  if (!sound) return Error{path + ": the cpus of machine '" + machine.name + "' must be a list of CPU numbers"};
  if (machine.cores && *machine.cores != cpus.size())
    return Error{path + ": machine '" + machine.name + "' has " + std::to_string(*machine.cores) + " cores but names " +
                 std::to_string(cpus.size()) + " cpus; give one of the two"};
  machine.cores = static_cast<std::uint16_t>(cpus.size());
  return machine;
}

}  // namespace

Result<PlacementFile> load_placement(const std::string& path) {
  const auto json = read_json(path);
  if (!json) return json.error();
  if (!json->is_object()) return Error{path + ": expected " + kExample};
  if (auto done = check_keys(path, *json, {"name", "machines", "processes"}); !done) return done.error();
  PlacementFile file;
  file.placement.name = path;
  if (json->contains("name")) {
    if (!(*json)["name"].is_string()) return Error{path + ": \"name\" must be a string"};
    file.placement.name = (*json)["name"].get<std::string>();
  }
  const Json processes = json->value("processes", json->contains("machines") ? Json::object() : Json());
  if (!processes.is_object()) return Error{path + ": no \"processes\"; expected " + kExample};
  for (const auto& [process, machine] : processes.items()) {
    if (!machine.is_string()) return Error{path + ": the machine of process '" + process + "' must be a name"};
    file.placement.machine_of_process[process] = machine.get<std::string>();
  }
  if (!json->contains("machines")) return file;
  if (!(*json)["machines"].is_array()) return Error{path + ": \"machines\" must be a list"};
  for (const auto& entry : (*json)["machines"]) {
    auto machine = read_machine(path, entry);
    if (!machine) return machine.error();
    file.machines.push_back(std::move(*machine));
  }
  return file;
}

std::vector<std::string> PlacementFile::machine_names() const {
  std::vector<std::string> names;
  for (const auto& machine : machines) names.push_back(machine.name);
  return names;
}

Result<ResolvedTarget> target_from(const History& history, const std::string& path) {
  if (path.empty()) return ResolvedTarget{traced_target(history), {}};
  auto file = load_placement(path);
  if (!file) return file.error();
  std::vector<MachineInfo> machines = history.info.machines;
  for (const auto& machine : file->machines) {
    const auto same =
        std::find_if(machines.begin(), machines.end(), [&](const auto& m) { return m.name == machine.name; });
    MachineInfo& described = same == machines.end() ? machines.emplace_back(MachineInfo{machine.name}) : *same;
    described.speed = machine.speed.value_or(described.speed);
    described.cores = machine.cores.value_or(described.cores);
  }
  if (file->placement.machine_of_process.empty() && !file->machines.empty()) {
    Target target = traced_target(history);
    target.placement = file->placement.name;
    target.machines = std::move(machines);
    return ResolvedTarget{std::move(target), {}};
  }
  auto target = resolve(history, file->placement, machines, history.info.delays);
  if (!target) return Error{path + ": " + target.error().what};
  return target;
}

Result<void> write_placement(const std::string& path, const History& history, const Target& target) {
  nlohmann::ordered_json document = {{"name", target.placement}};
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
  return write_new_file(path, document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

Result<std::vector<std::string>> place_as_traced(History& history, const std::string& path) {
  const auto resolved = target_from(history, path);
  if (!resolved) return resolved.error();
  const Target& target = resolved->target;
  history.info.machines = target.machines;
  history.info.placement = target.placement;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) history.info.processes[p].machine = target.machine_of[p];
  return resolved->left_out;
}

}  // namespace dpm::cli

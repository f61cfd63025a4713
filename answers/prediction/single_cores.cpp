#include "answers/prediction/single_cores.hpp"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

namespace dpm::cli {
namespace {

constexpr std::string_view kCores = "cores", kCoresGiven = "cores=";

bool means_cores(const std::string& name) { return name == kCores || name.starts_with(kCoresGiven); }

// 0: the number of cores of the machine.
Result<std::uint16_t> wanted_cores(const std::string& name) {
  if (name == kCores) return std::uint16_t{0};
  std::uint16_t count = 0;
  const char* end = name.data() + name.size();
  const auto parsed = std::from_chars(name.data() + kCoresGiven.size(), end, count);
  if (parsed.ec == std::errc() && parsed.ptr == end && count > 0) return count;
  return Error{"--onto " + name + ": the number of cores must be a whole number from 1 to 65535, such as cores=4"};
}

Result<MachineId> machine_of_all(const History& history, const Target& base) {
  std::optional<MachineId> machine;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    if (history.of(ProcessId{p}).empty()) continue;
    const MachineId its = base.machine_of[p];
    if (machine && machine->value != its.value)
      return Error{"--onto cores: the processes are on several machines (" + base.machines[machine->value].name + ", " +
                   base.machines[its.value].name + "); name machines, in a --placement with \"machines\""};
    machine = its;
  }
  if (!machine) return Error{"--onto cores: no process of the computation has an event in the trace"};
  return *machine;
}

MachineId add_core(Target& base, std::uint16_t number, const MachineInfo& like) {
  const std::string name = "core" + std::to_string(number);
  const auto same =
      std::find_if(base.machines.begin(), base.machines.end(), [&](const MachineInfo& m) { return m.name == name; });
  const auto at = static_cast<std::uint16_t>(same - base.machines.begin());
  if (same == base.machines.end()) {
    MachineInfo core{name};
    core.speed = like.speed;
    core.cores = 1;
    base.machines.push_back(std::move(core));
  }
  return {at};
}

}  // namespace

Result<void> make_single_cores(const History& history, Target& base, SearchOptions& options) {
  const auto asked = std::find_if(options.machines.begin(), options.machines.end(), means_cores);
  if (asked == options.machines.end()) return {};
  auto count = wanted_cores(*asked);
  if (!count) return count.error();
  const auto machine = machine_of_all(history, base);
  if (!machine) return machine.error();
  const MachineInfo like = base.machines[machine->value];
  const std::uint16_t cores = *count > 0 ? *count : like.cores;
  if (base.machines.size() + cores > std::numeric_limits<std::uint16_t>::max())
    return Error{"--onto " + *asked + ": that is more machines than a prediction can have"};
  std::vector<std::string> names;
  std::optional<MachineId> first;
  for (std::uint16_t core = 0; core < cores; ++core) {
    const MachineId added = add_core(base, core, like);
    first = first.value_or(added);
    names.push_back(base.machines[added.value].name);
  }
  const auto place = options.machines.erase(asked);
  options.machines.insert(place, names.begin(), names.end());
  if (options.movable.empty()) return {};  // all processes move: the search begins with the traced placement
  for (auto& its : base.machine_of)
    if (its.value == machine->value) its = *first;
  return {};
}

}  // namespace dpm::cli

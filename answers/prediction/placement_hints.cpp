#include "answers/prediction/placement_hints.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "answers/prediction/placement_file.hpp"
#include "os/new_file.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

// The N of "coreN".
std::optional<int> core_number(const std::string& machine) {
  constexpr std::string_view kCore = "core";
  if (!machine.starts_with(kCore) || machine.size() == kCore.size()) return std::nullopt;
  int number = 0;
  const char* end = machine.data() + machine.size();
  const auto read = std::from_chars(machine.data() + kCore.size(), end, number);
  return read.ec == std::errc{} && read.ptr == end ? std::optional(number) : std::nullopt;
}

bool is_traced(const History& history, const std::string& machine) {
  const auto& machines = history.info.machines;
  return std::any_of(machines.begin(), machines.end(), [&](const auto& traced) { return traced.name == machine; });
}

std::vector<std::string> hosts_in_order(const std::vector<RankPlace>& ranks) {
  std::vector<std::string> hosts;
  for (const RankPlace& rank : ranks)
    if (std::find(hosts.begin(), hosts.end(), rank.host) == hosts.end()) hosts.push_back(rank.host);
  return hosts;
}

// block: the first hosts get the first ranks, as many each; cyclic: one to each host in turn.
std::string distribution_of(const std::vector<RankPlace>& ranks) {
  const auto hosts = hosts_in_order(ranks);
  const std::size_t each = (ranks.size() + hosts.size() - 1) / hosts.size();
  bool is_block = ranks.size() % hosts.size() == 0, is_cyclic = true;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    is_block = is_block && ranks[i].host == hosts[i / each];
    is_cyclic = is_cyclic && ranks[i].host == hosts[i % hosts.size()];
  }
  return is_block ? "block" : is_cyclic ? "cyclic" : "arbitrary";
}

}  // namespace

std::vector<RankPlace> ranks_of(const History& history, const Target& target, const std::vector<std::string>& movable) {
  std::vector<RankPlace> ranks;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const ProcessInfo& process = history.info.processes[p];
    const bool is_thread = process.group.value < history.info.processes.size();
    const bool moves = movable.empty() || std::find(movable.begin(), movable.end(), process.name) != movable.end();
    if (is_thread || !moves || history.of(ProcessId{p}).empty()) continue;
    const MachineInfo& machine = target.machines[target.machine_of[p].value];
    const auto core = core_number(machine.name);
    if (core && !is_traced(history, machine.name)) {
      ranks.push_back({process.name, history.info[process.machine].name, std::to_string(*core)});
    } else {
      const std::string cpus = machine.cores > 1 ? fmt::format("0-{}", machine.cores - 1) : "0";
      ranks.push_back({process.name, machine.name, cpus});
    }
  }
  return ranks;
}

std::string rankfile_text(const std::vector<RankPlace>& ranks) {
  std::string text;
  for (std::size_t i = 0; i < ranks.size(); ++i)
    text += fmt::format("rank {}={} slot={}\n", i, ranks[i].host, ranks[i].cpus);
  return text;
}

std::string slurm_hosts_text(const std::vector<RankPlace>& ranks) {
  std::string text;
  for (const RankPlace& rank : ranks) text += rank.host + "\n";
  return text;
}

std::string slurm_options_text(const std::vector<RankPlace>& ranks, const std::string& hosts_file) {
  if (ranks.empty()) return "";
  const auto hosts = hosts_in_order(ranks);
  std::string text = fmt::format("--ntasks={} --nodes={}", ranks.size(), hosts.size());
  const std::string distribution = distribution_of(ranks);
  text += " --distribution=" + distribution;
  if (hosts.size() == 1) {
    std::string cpus;
    for (const RankPlace& rank : ranks) cpus += (cpus.empty() ? "" : ",") + rank.cpus;
    if (cpus.find('-') == std::string::npos) text += " --cpu-bind=map_cpu:" + cpus;
  }
  if (distribution == "arbitrary") text = fmt::format("SLURM_HOSTFILE={} srun {}", hosts_file, text);
  return text + "\n";
}

Result<void> write_hints(const std::string& folder, const History& history, const Target& target,
                         const std::vector<std::string>& movable) {
  const auto ranks = ranks_of(history, target, movable);
  if (ranks.empty()) return Error{"--write-hints: no process of the computation may move"};
  if (auto made = make_private_folder(folder); !made) return made.error();
  const std::map<std::string, std::string> files = {
      {"placement.json", placement_text(history, target)},
      {"rankfile", rankfile_text(ranks)},
      {"slurm-hosts", slurm_hosts_text(ranks)},
      {"slurm-options", slurm_options_text(ranks, folder + "/slurm-hosts")},
  };
  for (const auto& [name, text] : files)
    if (auto written = write_new_file(folder + "/" + name, text); !written) return written.error();
  return {};
}

}  // namespace dpm::cli

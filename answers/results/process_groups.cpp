#include "answers/results/process_groups.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "analysis/causality/letters.hpp"
#include "model/counted.hpp"
#include "model/process_names.hpp"

namespace dpm::cli {
namespace {

constexpr std::string_view kOutside = "outside ", kArrow = " > ", kThreadsOf = "threads of ";

// A process that stands for an unmetered end of a live program's connections.
bool is_peer(const ProcessInfo& process) { return process.name.starts_with(kOutside) && !process.in_computation; }

// The peers of each outside end, by its name: "10.0.0.9:40001" has "10.0.0.1:80".
std::map<std::string, std::set<std::string>> peers_by_end(const TraceInfo& info) {
  std::map<std::string, std::set<std::string>> peers;
  for (const auto& channel : info.channels) {
    const auto space = channel.name.find(' ');
    const auto arrow = channel.name.find(kArrow);
    if (space == std::string::npos || arrow == std::string::npos || arrow <= space) continue;
    const std::string sender(without_number(std::string_view(channel.name).substr(space + 1, arrow - space - 1)));
    const std::string receiver(without_number(std::string_view(channel.name).substr(arrow + kArrow.size())));
    peers[sender].insert(receiver);
    peers[receiver].insert(sender);
  }
  return peers;
}

// The name of the group that a process outside belongs to; empty if it is shown alone.
class ServiceNames {
 public:
  explicit ServiceNames(const TraceInfo& info) : peers_(peers_by_end(info)) {}

  std::string of(const std::string& outside) const {
    const std::string name = outside.substr(kOutside.size());
    const std::string end = name.substr(0, name.find(" on "));
    if (const auto space = end.find(' '); space != std::string::npos && end.find(kArrow) == std::string::npos)
      return "outside " + end.substr(0, space) + "s";  // "pipe 15:231949"
    const auto found = peers_.find(end);
    if (found == peers_.end() || found->second.size() != 1) return "";
    const auto service = peers_.find(*found->second.begin());
    return service != peers_.end() && service->second.size() > 1 ? "clients of " + service->first : "";
  }

 private:
  std::map<std::string, std::set<std::string>> peers_;
};

bool is_thread(const ProcessInfo& process, const TraceInfo& info) {
  return process.group.value < info.processes.size();
}

void add(QueueStatistics& sum, const QueueStatistics& queue) {
  sum.received += queue.received;
  sum.in_computation |= queue.in_computation;
  if (!queue.measured) return;
  if (!sum.measured) {
    const std::uint64_t received = sum.received;
    const ProcessId process = sum.process;
    sum = queue;
    sum.received = received;
    sum.process = process;
    return;
  }
  const double seconds = sum.observed.seconds() + queue.observed.seconds();
  if (seconds > 0)
    sum.length_mean =
        (sum.length_mean * sum.observed.seconds() + queue.length_mean * queue.observed.seconds()) / seconds;
  sum.observed = sum.observed + queue.observed;
  sum.queued += queue.queued;
  sum.length_max = std::max(sum.length_max, queue.length_max);
  sum.waits.add(queue.waits);
  if (queue.meanwhile && sum.meanwhile) *sum.meanwhile += *queue.meanwhile;
  if (queue.meanwhile && !sum.meanwhile) sum.meanwhile = queue.meanwhile;
  sum.still_queued += queue.still_queued;
}

// By process: the key that processes in one group share; empty if the process is shown alone.
std::vector<std::string> keys_of(const TraceInfo& info, bool by_machine) {
  const ServiceNames services(info);
  std::vector<std::string> keys;
  for (const auto& process : info.processes) {
    std::string& key = keys.emplace_back();
    if (is_thread(process, info)) continue;
    if (is_peer(process))
      key = services.of(process.name);
    else if (process.pid != 0)
      key = without_number(process.name);
    else if (info.properties.scripted)
      key = process.program;
    if (key.empty()) continue;
    if (by_machine && info.machines.size() > 1) key += "\n" + std::to_string(process.machine.value);
    if (!process.cgroup.empty()) key += "\n" + process.cgroup;
    if (!process.in_computation) key += "\noutside";
  }
  return keys;
}

using Sizes = std::map<std::string, std::size_t>;

Sizes sizes_of(const std::vector<std::string>& keys) {
  Sizes sizes;
  for (const auto& key : keys) ++sizes[key];
  return sizes;
}

bool is_shown_alone(const ProcessInfo& process, std::size_t size, std::size_t alone) {
  return size < 2 || (!is_peer(process) && size <= alone);
}

std::size_t rows_of(const TraceInfo& info, const std::vector<std::string>& keys, std::size_t alone) {
  const Sizes sizes = sizes_of(keys);
  std::set<std::string> groups;
  std::size_t rows = 0;
  for (std::size_t p = 0; p < keys.size(); ++p) {
    if (is_thread(info.processes[p], info)) continue;
    if (keys[p].empty() || is_shown_alone(info.processes[p], sizes.at(keys[p]), alone)) {
      ++rows;
    } else {
      groups.insert(keys[p]);
    }
  }
  return rows + groups.size();
}

// A thread has the process number of the process that it belongs to; a member of a group has its own.
bool is_thread_of(ProcessId process, ProcessId other, const TraceInfo& info) {
  const std::uint32_t pid = info[process].pid;
  return pid != 0 && process != other && info[other].pid == pid && info[other].group == process;
}

// On paths the threads of a process stay apart: each does work of its own.
ProcessId path_row_of(ProcessId process, const TraceInfo& grouped) {
  const ProcessId row = row_of(process, grouped);
  return process.value < grouped.processes.size() && is_thread_of(row, process, grouped) ? process : row;
}

std::vector<CausalPath> respelled(const std::vector<CausalPath>& paths,
                                  const std::map<std::string, std::string>& letter_of_row) {
  std::map<std::string, CausalPath> merged;
  for (const auto& path : paths) {
    std::string text;
    for (const auto& letter : designators_of(path.path)) {
      const auto row = letter_of_row.find(letter);
      text += row == letter_of_row.end() ? letter : row->second;
    }
    CausalPath& sum = merged.try_emplace(text, CausalPath{text, 0, path.length}).first->second;
    sum.count += path.count;
  }
  std::vector<CausalPath> result;
  for (auto& [text, path] : merged) result.push_back(std::move(path));
  return result;
}

}  // namespace

ProcessId row_of(ProcessId process, const TraceInfo& grouped) {
  if (process.value >= grouped.processes.size()) return process;
  const ProcessId group = grouped[process].group;
  return group.value < grouped.processes.size() ? group : process;
}

std::vector<std::string> process_kinds(const TraceInfo& info) {
  std::vector<std::string> kinds = keys_of(info, true);
  for (std::size_t p = 0; p < kinds.size(); ++p) {
    const ProcessInfo& process = info.processes[p];
    if (is_thread(process, info) && !kinds[process.group.value].empty())
      kinds[p] = std::string(kThreadsOf) + kinds[process.group.value];
  }
  return kinds;
}

std::string kind_name(const std::string& kind) { return kind.substr(0, kind.find('\n')); }

TraceInfo group_processes(const TraceInfo& info, std::size_t alone) {
  auto keys = keys_of(info, true);
  if (rows_of(info, keys, alone) > kRowsByMachine) {
    keys = keys_of(info, false);
    if (rows_of(info, keys, alone) > kRowsByMachine || info.machines.size() > kRowsByMachine) alone = 1;
  }
  const Sizes size_of = sizes_of(keys);
  TraceInfo grouped = info;
  std::map<std::string, ProcessId> first_of;
  for (std::uint32_t p = 0; p < keys.size(); ++p) {
    if (keys[p].empty()) continue;
    const std::size_t size = size_of.at(keys[p]);
    if (is_shown_alone(info.processes[p], size, alone)) continue;
    const auto [first, is_new] = first_of.try_emplace(keys[p], ProcessId{p});
    if (is_new)
      grouped.processes[p].name = keys[p].substr(0, keys[p].find('\n')) + " x " + std::to_string(size);
    else
      grouped.processes[p].group = first->second;
  }
  for (auto& process : grouped.processes) {  // a thread belongs to the group of its process
    if (!is_thread(process, grouped)) continue;
    const ProcessId further = grouped[process.group].group;
    if (further.value < grouped.processes.size()) process.group = further;
  }
  return grouped;
}

std::vector<GroupExtent> group_extents(const TraceInfo& grouped) {
  std::vector<GroupExtent> extents(grouped.processes.size());
  std::vector<std::set<std::uint32_t>> machines(grouped.processes.size());
  for (std::uint32_t p = 0; p < grouped.processes.size(); ++p) {
    const ProcessId row = row_of({p}, grouped);
    if (row.value != p && !is_thread_of(row, {p}, grouped)) ++extents[row.value].processes;
    machines[row.value].insert(grouped.processes[p].machine.value);
  }
  for (std::size_t p = 0; p < extents.size(); ++p)
    if (machines[p].size() > 1) {
      extents[p].place = counted(machines[p].size(), "machine");
    } else if (machines[p].size() == 1 && *machines[p].begin() < grouped.machines.size()) {
      extents[p].place = grouped.machines[*machines[p].begin()].name;
    }
  return extents;
}

bool is_grouped(const std::vector<GroupExtent>& extents) {
  return std::any_of(extents.begin(), extents.end(), [](const GroupExtent& extent) { return extent.processes > 1; });
}

Queues group_queues(Queues queues, const TraceInfo& grouped) {
  std::map<ProcessId, QueueStatistics> rows;
  for (auto& queue : queues.processes) {
    const ProcessId shown = row_of(queue.process, grouped);
    const auto [row, is_new] = rows.try_emplace(shown, queue);
    QueueStatistics& sum = row->second;
    sum.process = shown;
    if (!is_new) add(sum, queue);
  }
  queues.processes.clear();
  for (auto& [process, sum] : rows) queues.processes.push_back(std::move(sum));
  WaitsByProcess own_waits;
  for (const auto& [process, waits] : queues.own_waits) own_waits[row_of(process, grouped)] += waits;
  queues.own_waits = std::move(own_waits);
  return queues;
}

CriticalPath group_path(CriticalPath path, const TraceInfo& grouped) {
  std::map<ProcessId, ProcessShare> processes;
  for (const auto& share : path.processes) {
    ProcessShare& sum = processes[path_row_of(share.process, grouped)];
    sum.process = path_row_of(share.process, grouped);
    sum.cpu_s += share.cpu_s;
    sum.sharing_s += share.sharing_s;
    sum.fraction += share.fraction;
  }
  std::map<std::pair<ProcessId, ProcessId>, MessageShare> messages;
  for (const auto& share : path.messages) {
    const std::pair pair(path_row_of(share.sender, grouped), path_row_of(share.receiver, grouped));
    MessageShare& sum = messages[pair];
    sum.sender = pair.first;
    sum.receiver = pair.second;
    sum.messages += share.messages;
    sum.delay_s += share.delay_s;
    sum.fraction += share.fraction;
  }
  const auto larger = [](const auto& a, const auto& b) { return a.fraction > b.fraction; };
  path.processes.clear();
  for (const auto& [process, share] : processes) path.processes.push_back(share);
  std::stable_sort(path.processes.begin(), path.processes.end(), larger);
  path.messages.clear();
  for (const auto& [pair, share] : messages) path.messages.push_back(share);
  std::stable_sort(path.messages.begin(), path.messages.end(), larger);
  return path;
}

Causality group_causality(Causality causality, const TraceInfo& grouped) {
  std::map<std::string, std::string> letter_of_row;
  const auto row = [&](ProcessId process) { return process.is_none() ? process : path_row_of(process, grouped); };
  for (std::uint32_t p = 0; p < causality.letters.size(); ++p) {
    std::string& own = causality.letters[p];
    const ProcessId shown = path_row_of({p}, grouped);
    if (own.empty() || shown.value == p) continue;
    std::string& of_row = causality.letters[shown.value];
    if (of_row.empty()) of_row = own;
    letter_of_row[own] = of_row;
    if (own != of_row) own.clear();
  }
  causality.strings = respelled(causality.strings, letter_of_row);
  causality.paths = respelled(causality.paths, letter_of_row);

  std::map<std::tuple<ProcessId, ProcessId, ProcessId>, std::uint64_t> branches;
  std::map<std::pair<ProcessId, ProcessId>, std::uint64_t> from, states;
  std::map<ProcessId, std::uint64_t> leaving;
  for (const auto& b : causality.branching) {
    branches[{row(b.at), row(b.from), row(b.to)}] += b.count;
    from[{row(b.at), row(b.from)}] += b.count;
  }
  for (const auto& s : causality.states) {
    states[{row(s.from), row(s.to)}] += s.count;
    leaving[row(s.from)] += s.count;
  }
  const auto share = [](std::uint64_t part, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
  };
  causality.branching.clear();
  for (const auto& [key, count] : branches) {
    const auto& [at, came_from, to] = key;
    causality.branching.push_back({at, came_from, to, count, share(count, from[{at, came_from}])});
  }
  causality.states.clear();
  for (const auto& [key, count] : states)
    causality.states.push_back({key.first, key.second, count, share(count, leaving[key.first])});
  return causality;
}

}  // namespace dpm::cli

#include "cli/results/process_groups.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace dpm::cli {
namespace {

constexpr std::string_view kOutside = "outside ", kArrow = " > ";

// "true#17" is the 17th process named "true".
std::string_view without_number(std::string_view name) {
  const auto mark = name.rfind('#');
  if (mark == std::string_view::npos || mark == 0 || mark + 1 == name.size()) return name;
  const auto number = name.substr(mark + 1);
  const bool is_number = std::all_of(number.begin(), number.end(), [](unsigned char c) { return std::isdigit(c); });
  return is_number ? name.substr(0, mark) : name;
}

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

// By process: the key that processes in one group share; empty if the process is shown alone.
std::vector<std::string> keys_of(const TraceInfo& info) {
  const ServiceNames services(info);
  std::vector<std::string> keys;
  for (const auto& process : info.processes) {
    std::string& key = keys.emplace_back();
    if (is_thread(process, info)) continue;
    if (process.name.starts_with(kOutside) && !process.in_computation)
      key = services.of(process.name);
    else if (process.pid != 0)
      key = without_number(process.name);
    if (!key.empty() && info.machines.size() > 1) key += "\n" + std::to_string(process.machine.value);
  }
  return keys;
}

}  // namespace

TraceInfo group_processes(const TraceInfo& info, std::size_t alone) {
  const auto keys = keys_of(info);
  std::map<std::string, std::size_t> size_of;
  for (const auto& key : keys) ++size_of[key];
  TraceInfo grouped = info;
  std::map<std::string, ProcessId> first_of;
  for (std::uint32_t p = 0; p < keys.size(); ++p) {
    if (keys[p].empty()) continue;
    const std::size_t size = size_of.at(keys[p]);
    if (size < 2 || (info.processes[p].in_computation && size <= alone)) continue;
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

Queues group_unmeasured(Queues queues, const TraceInfo& grouped) {
  std::map<ProcessId, QueueStatistics> unmeasured;
  for (const auto& queue : queues.processes) {
    if (queue.measured) continue;
    const ProcessId group = grouped[queue.process].group;
    const ProcessId shown = group.value < grouped.processes.size() ? group : queue.process;
    QueueStatistics& sum = unmeasured.try_emplace(shown).first->second;
    sum.process = shown;
    sum.in_computation = queue.in_computation;
    sum.received += queue.received;
  }
  std::erase_if(queues.processes, [](const QueueStatistics& queue) { return !queue.measured; });
  for (auto& [process, sum] : unmeasured) queues.processes.push_back(std::move(sum));
  std::stable_sort(queues.processes.begin(), queues.processes.end(),
                   [](const QueueStatistics& a, const QueueStatistics& b) { return a.process < b.process; });
  return queues;
}

}  // namespace dpm::cli

#include "twin/groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace dpm::twin {
namespace {

// "client" and 3 of "client_3"; number 0 if it has none.
struct NumberedName {
  std::string base;
  std::uint32_t number = 0;
};

NumberedName split(const std::string& name) {
  std::size_t digits = name.size();
  while (digits > 0 && name.size() - digits < 6 && std::isdigit(static_cast<unsigned char>(name[digits - 1])) != 0)
    --digits;
  if (digits == name.size() || digits < 2 || name[digits - 1] != '_' || name[digits] == '0') return {name, 0};
  return {name.substr(0, digits - 1), static_cast<std::uint32_t>(std::stoul(name.substr(digits)))};
}

// How a member differs from others of its name: whether it speaks first, and its CPU time per operation.
struct Manner {
  bool speaks_first = false;
  double operations = 0;
  double cpu_per_operation_ns = 0;
  double error_ns = 0;  // standard error of the mean
};

Manner manner_of(const ProcessRecord& record) {
  Manner manner;
  double sum = 0, squares = 0;
  for (const Operation& operation : record.operations) {
    sum += static_cast<double>(operation.cpu_ns);
    squares += static_cast<double>(operation.cpu_ns) * static_cast<double>(operation.cpu_ns);
  }
  manner.operations = static_cast<double>(record.operations.size());
  if (record.operations.empty()) return manner;
  manner.speaks_first = record.speaks_first();
  manner.cpu_per_operation_ns = sum / manner.operations;
  manner.error_ns =
      std::sqrt(std::max(0.0, squares / manner.operations - manner.cpu_per_operation_ns * manner.cpu_per_operation_ns) /
                manner.operations);
  return manner;
}

bool alike(const Manner& a, const Manner& b) {
  const double mean = (a.cpu_per_operation_ns + b.cpu_per_operation_ns) / 2;
  const double noise = 4 * (a.error_ns + b.error_ns);
  return a.speaks_first == b.speaks_first &&
         std::abs(a.cpu_per_operation_ns - b.cpu_per_operation_ns) <= noise + 0.1 * mean;
}

bool all_alike(const Recording& recording, const std::vector<std::uint32_t>& members) {
  const Manner first = manner_of(recording.records[members.front()]);
  return std::all_of(members.begin(), members.end(),
                     [&](std::uint32_t p) { return alike(first, manner_of(recording.records[p])); });
}

std::vector<bool> did_or_got_something(const Recording& recording) {
  std::vector<bool> did(recording.records.size(), false);
  for (std::uint32_t p = 0; p < recording.records.size(); ++p) {
    const ProcessRecord& record = recording.records[p];
    if (!record.operations.empty() || (record.metered && record.tail_cpu_ns > 0)) did[p] = true;
    for (const Operation& operation : record.operations)
      if (operation.peer != kNone) did[operation.peer] = true;
  }
  return did;
}

std::string unused(const std::string& wished, std::set<std::string>& taken) {
  std::string name = wished;
  for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}.{}", wished, i);
  return name;
}

using ProgramAndName = std::pair<std::string, std::string>;
using Processes = std::vector<std::uint32_t>;

// Processes that one name stands for: numbered members of a family without a gap, or live processes of one name.
std::map<ProgramAndName, Processes> namesakes_of(const Recording& recording) {
  const auto& infos = recording.info.processes;
  std::map<ProgramAndName, std::map<std::uint32_t, std::uint32_t>> families;  // number to process
  std::map<ProgramAndName, Processes> namesakes;
  const std::vector<bool> concerned = did_or_got_something(recording);
  for (std::uint32_t p = 0; p < recording.records.size(); ++p) {
    if (!concerned[p]) continue;
    const NumberedName name = split(infos[p].name);
    const ProgramAndName key(infos[p].program, name.base);
    if (name.number != 0) {
      families[key].emplace(name.number, p);
    } else {
      namesakes[key].push_back(p);
    }
  }
  for (const auto& [key, members] : families) {
    const bool without_gap = members.begin()->first == 1 && members.rbegin()->first == members.size();
    Processes processes;
    for (const auto& [number, process] : members) processes.push_back(process);
    if (without_gap && namesakes[key].empty()) namesakes[key] = processes;
    if (without_gap) continue;
    for (const std::uint32_t process : processes) namesakes[{key.first, infos[process].name}] = {process};
  }
  return namesakes;
}

// Members and wished name of each group, in the order of the trace.
std::vector<std::pair<Processes, std::string>> members_of_groups(const Recording& recording,
                                                                 const std::set<std::uint32_t>& alone) {
  std::vector<std::pair<Processes, std::string>> found;
  for (const auto& [key, members] : namesakes_of(recording)) {
    if (members.empty()) continue;
    const bool any_alone = std::any_of(members.begin(), members.end(), [&](auto p) { return alone.count(p) != 0; });
    if (!any_alone && (members.size() == 1 || all_alike(recording, members))) {
      found.emplace_back(members, key.second);
    } else {
      for (const std::uint32_t p : members) found.emplace_back(Processes{p}, recording.info.processes[p].name);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

}  // namespace

std::string scenario_name(const std::string& name) {
  std::string result;
  for (const unsigned char c : name) {
    const bool may_stay = (std::isalnum(c) != 0 && c < 128) || c == '_' || c == '-' || c == '.';
    result += may_stay ? static_cast<char>(c) : '_';
  }
  if (result.size() > 60) result.resize(60);
  return result.empty() ? "process" : result;
}

Groups find_groups(const Recording& recording, const std::set<std::uint32_t>& alone) {
  Groups groups;
  groups.of.assign(recording.records.size(), kNone);
  groups.member_of.assign(recording.records.size(), 0);
  std::set<std::string> taken = {"sender", "any"};  // words of the scenario language
  for (const auto& [members, wished] : members_of_groups(recording, alone)) {
    const std::string& first = recording.info.processes[members.front()].name;
    const bool counted = members.size() > 1 || (split(first).number == 1 && wished != first);
    for (std::size_t i = 0; i < members.size(); ++i) {
      groups.of[members[i]] = static_cast<std::uint32_t>(groups.all.size());
      groups.member_of[members[i]] = static_cast<std::uint32_t>(i);
    }
    groups.all.push_back({unused(scenario_name(wished), taken), members, counted});
  }
  return groups;
}

}  // namespace dpm::twin

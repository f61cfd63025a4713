#include "twin/groups.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <map>
#include <set>

namespace dpm::twin {
namespace {

// "client" and 3 of "client_3"; number 0 where there is none.
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

// How a member differs from others of its name: whether it speaks first, and its CPU time for an op.
struct Manner {
  bool speaks_first = false;
  double ops = 0;
  double cpu_per_op_ns = 0;
  double error_ns = 0;  // standard error of the mean
};

Manner manner_of(const Life& life) {
  Manner manner;
  double sum = 0, squares = 0;
  for (const Op& op : life.ops) {
    sum += static_cast<double>(op.cpu_ns);
    squares += static_cast<double>(op.cpu_ns) * static_cast<double>(op.cpu_ns);
  }
  manner.ops = static_cast<double>(life.ops.size());
  if (life.ops.empty()) return manner;
  manner.speaks_first = life.speaks_first();
  manner.cpu_per_op_ns = sum / manner.ops;
  manner.error_ns =
      std::sqrt(std::max(0.0, squares / manner.ops - manner.cpu_per_op_ns * manner.cpu_per_op_ns) / manner.ops);
  return manner;
}

bool alike(const Manner& a, const Manner& b) {
  const double mean = (a.cpu_per_op_ns + b.cpu_per_op_ns) / 2;
  const double noise = 4 * (a.error_ns + b.error_ns);
  return a.speaks_first == b.speaks_first && std::abs(a.cpu_per_op_ns - b.cpu_per_op_ns) <= noise + 0.1 * mean;
}

bool all_alike(const Recording& recording, const std::vector<std::uint32_t>& members) {
  const Manner first = manner_of(recording.lives[members.front()]);
  return std::all_of(members.begin(), members.end(),
                     [&](std::uint32_t p) { return alike(first, manner_of(recording.lives[p])); });
}

std::vector<bool> did_or_got_something(const Recording& recording) {
  std::vector<bool> did(recording.lives.size(), false);
  for (std::uint32_t p = 0; p < recording.lives.size(); ++p) {
    const Life& life = recording.lives[p];
    if (!life.ops.empty() || (life.metered && life.tail_cpu_ns > 0)) did[p] = true;
    for (const Op& op : life.ops)
      if (op.peer != kNone) did[op.peer] = true;
  }
  return did;
}

std::string unused(const std::string& wished, std::set<std::string>& taken) {
  std::string name = wished;
  for (int i = 2; !taken.insert(name).second; ++i) name = wished + "." + std::to_string(i);
  return name;
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
  const auto& info = recording.info;
  std::map<std::pair<std::string, std::string>, std::map<std::uint32_t, std::uint32_t>> families;  // number to process
  std::map<std::pair<std::string, std::string>, std::vector<std::uint32_t>> namesakes;             // live: of one name
  const std::vector<bool> concerned = did_or_got_something(recording);
  for (std::uint32_t p = 0; p < recording.lives.size(); ++p) {
    if (!concerned[p]) continue;
    const NumberedName name = split(info.processes[p].name);
    const std::pair key(info.processes[p].program, name.base);
    if (name.number != 0) {
      families[key].emplace(name.number, p);
    } else {
      namesakes[key].push_back(p);
    }
  }
  for (auto& [key, members] : families) {
    std::vector<std::uint32_t> processes;
    for (const auto& [number, process] : members) processes.push_back(process);
    const bool without_gap = members.begin()->first == 1 && members.rbegin()->first == members.size();
    if (without_gap) {
      if (namesakes[key].empty()) namesakes[key] = processes;
    } else {
      for (const std::uint32_t process : processes) namesakes[{key.first, info.processes[process].name}] = {process};
    }
  }
  std::vector<std::pair<std::vector<std::uint32_t>, std::string>> found;  // members, wished name
  for (const auto& [key, members] : namesakes) {
    if (members.empty()) continue;
    const bool any_alone = std::any_of(members.begin(), members.end(), [&](auto p) { return alone.count(p) != 0; });
    if (!any_alone && (members.size() == 1 || all_alike(recording, members))) {
      found.emplace_back(members, key.second);
    } else {
      for (const std::uint32_t p : members) found.emplace_back(std::vector{p}, info.processes[p].name);
    }
  }
  std::sort(found.begin(), found.end());  // in the order of the trace
  Groups groups;
  groups.of.assign(recording.lives.size(), kNone);
  groups.member_of.assign(recording.lives.size(), 0);
  std::set<std::string> taken = {"sender", "any"};  // words of the scenario language
  for (auto& [members, wished] : found) {
    const bool numbered = split(info.processes[members.front()].name).number == 1;
    const bool counted = members.size() > 1 || (numbered && wished != info.processes[members.front()].name);
    Group group{unused(scenario_name(wished), taken), members, counted};
    for (std::size_t i = 0; i < members.size(); ++i) {
      groups.of[members[i]] = static_cast<std::uint32_t>(groups.all.size());
      groups.member_of[members[i]] = static_cast<std::uint32_t>(i);
    }
    groups.all.push_back(std::move(group));
  }
  return groups;
}

}  // namespace dpm::twin

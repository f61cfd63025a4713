#include "control/controller/machine_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "control/controller/machine_ranges.hpp"
#include "control/controller/user_files.hpp"

namespace dpm::control {
namespace {

std::vector<std::string> words_of(const std::string& line) {
  std::istringstream in(line.substr(0, line.find('#')));
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

Result<std::vector<std::string>> machines_in(const std::string& path) {
  const auto lines = read_script(path);
  if (!lines) return lines.error();
  std::vector<std::string> machines;
  for (std::size_t i = 0; i < lines->size(); ++i) {
    for (const auto& word : words_of((*lines)[i])) {
      const auto some = expand_machines(word);
      if (!some) return Error{fmt::format("{}:{}: {}", path, i + 1, some.error().what)};
      machines.insert(machines.end(), some->begin(), some->end());
      if (machines.size() > kMachinesMax) return Error{fmt::format("{} has more than {} machines", path, kMachinesMax)};
    }
  }
  if (machines.empty()) return Error{fmt::format("{} has no machines", path)};
  return machines;
}

}  // namespace

std::vector<std::string> without_repetitions(const std::vector<std::string>& machines) {
  std::vector<std::string> once;
  std::set<std::string_view> seen;
  for (const auto& machine : machines)
    if (seen.insert(machine).second) once.push_back(machine);
  return once;
}

Result<std::vector<std::string>> MachineSets::named(const std::string& word) const {
  auto typed = expand(word);
  if (!typed) return typed;
  auto names = machines_.known_as(*typed);
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] != (*typed)[i]) console_.say(fmt::format("machine '{}' is '{}'", (*typed)[i], names[i]));
  return names;
}

Result<std::vector<std::string>> MachineSets::expand(const std::string& word) const {
  if (word == kAllMachines) return all();
  if (word.starts_with('@')) return machines_in(word.substr(1));
  return expand_machines(word);
}

Result<std::vector<std::string>> MachineSets::named_once(const std::vector<std::string>& words) const {
  std::vector<std::string> all;
  for (const auto& word : words) {
    const auto machines = named(word);
    if (!machines) return machines.error();
    all.insert(all.end(), machines->begin(), machines->end());
  }
  return without_repetitions(all);
}

Result<std::string> MachineSets::one_named(const std::string& word) const {
  auto machines = named(word);
  if (!machines) return machines.error();
  if (machines->size() == 1) return machines->front();
  return Error{fmt::format("'{}' names {} machines: this command takes one", word, machines->size())};
}

Result<std::vector<std::string>> MachineSets::all() const {
  if (!hosts_file_.empty()) return machines_in(hosts_file_);
  std::vector<std::string> machines;
  for (const auto& job : computation_.jobs())
    for (const auto& process : job.processes)
      if (std::find(machines.begin(), machines.end(), process.machine) == machines.end())
        machines.push_back(process.machine);
  if (machines.empty())
    return Error{fmt::format("'{}' names no machine yet: 'dpm control --hosts FILE' names them", kAllMachines)};
  return machines;
}

}  // namespace dpm::control

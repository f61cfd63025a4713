#include "control/controller/completion.hpp"

#include <algorithm>
#include <filesystem>
#include <set>

#include "control/controller/command_forms.hpp"
#include "control/controller/flag_names.hpp"
#include "control/controller/machine_sets.hpp"

namespace dpm::control {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kBlanks = " \t";

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  while (true) {
    const auto begin = line.find_first_not_of(kBlanks);
    if (begin == std::string_view::npos) return words;
    const auto end = std::min(line.find_first_of(kBlanks, begin), line.size());
    words.emplace_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

std::set<std::string> files_like(const std::string& word) {
  const auto slash = word.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : word.substr(0, slash + 1);
  std::set<std::string> names;
  std::error_code failed;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, failed), end; !failed && entry != end;
       entry.increment(failed)) {
    const std::string name = entry->path().filename();
    const bool is_asked_for = word.size() > folder.size() && word[folder.size()] == '.';
    if (name.starts_with('.') && !is_asked_for) continue;
    std::error_code unknown;
    names.insert(folder + name + (entry->is_directory(unknown) ? "/" : ""));
  }
  return names;
}

std::set<std::string> choices(const Computation& computation, const std::vector<std::string>& machines, Parameter kind,
                              const std::vector<std::string>& words, const std::string& word) {
  std::set<std::string> names;
  switch (kind) {
    case Parameter::none:
    case Parameter::text:
      break;
    case Parameter::command:
      for (const auto& form : command_forms()) {
        names.emplace(form.name);
        names.insert(form.aliases.begin(), form.aliases.end());
      }
      break;
    case Parameter::filter:
      for (const auto& filter : computation.filters()) names.insert(filter.name);
      break;
    case Parameter::machine:
      if (word.starts_with('@')) {
        for (const auto& file : files_like(word.substr(1))) names.insert("@" + file);
        names.emplace(kAllMachines);
        break;
      }
      names.insert(machines.begin(), machines.end());
      for (const auto& filter : computation.filters()) names.insert(filter.machine);
      for (const auto& job : computation.jobs())
        for (const auto& process : job.processes) names.insert(process.machine);
      break;
    case Parameter::job:
      for (const auto& job : computation.jobs()) names.insert(job.name);
      break;
    case Parameter::process:
      for (const auto& job : computation.jobs())
        if (words.size() > 1 && job.name == words[1])
          for (const auto& process : job.processes) names.insert(process.name);
      break;
    case Parameter::flag:
      for (const auto& name : flag_names()) names.insert((word.starts_with('-') ? "-" : "") + name);
      names.insert(word.starts_with('-') ? "-all" : "all");
      break;
    case Parameter::local_file:
      names = files_like(word);
      break;
  }
  return names;
}

Parameter kind_of_word(const std::vector<std::string>& words) {
  if (words.empty()) return Parameter::command;
  const auto form = find_command(words[0]);
  if (!form || (*form)->kinds.empty()) return Parameter::none;
  const auto& kinds = (*form)->kinds;
  return kinds[std::min(words.size() - 1, kinds.size() - 1)];
}

}  // namespace

Completion complete(const Computation& computation, const std::vector<std::string>& machines, std::string_view line) {
  auto words = words_of(line);
  Completion completion;
  if (!line.empty() && kBlanks.find(line.back()) == std::string_view::npos) {
    completion.word = words.back();
    words.pop_back();
  }
  auto kind = kind_of_word(words);
  if (completion.word.starts_with('<')) {
    completion.word.erase(0, 1);
    kind = Parameter::local_file;
  }
  for (const auto& name : choices(computation, machines, kind, words, completion.word))
    if (name.starts_with(completion.word)) completion.candidates.push_back(name);
  return completion;
}

std::string common_beginning(const std::vector<std::string>& candidates) {
  if (candidates.empty()) return "";
  std::string common = candidates.front();
  for (const auto& other : candidates) {
    const auto [end, ignored] = std::mismatch(common.begin(), common.end(), other.begin(), other.end());
    common.erase(end, common.end());
  }
  return common;
}

}  // namespace dpm::control

#include "cli/run/ending_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

namespace dpm::cli {
namespace {

// What processes that are alike have in common: the sentence without "on machine 'x'", and without numbers of members.
std::string pattern_of(const std::string& sentence) {
  const std::string_view machine = " on machine '";
  const std::size_t begin = sentence.find(machine);
  const std::size_t end = begin == std::string::npos ? begin : sentence.find('\'', begin + machine.size());
  const std::string text = end == std::string::npos ? sentence : sentence.substr(0, begin) + sentence.substr(end + 1);
  std::string pattern;
  for (std::size_t i = 0; i < text.size(); ++i) {
    pattern += text[i];
    if (text[i] != '_') continue;
    std::size_t behind = i + 1;
    while (behind < text.size() && std::isdigit(static_cast<unsigned char>(text[behind])) != 0) ++behind;
    if (behind < text.size() && text[behind] == '\'') i = behind - 1;
  }
  return pattern;
}

struct Alike {
  std::string first;
  std::size_t processes = 0;
};

std::vector<Alike> grouped(const std::vector<std::string>& blocked) {
  std::vector<Alike> groups;
  std::map<std::string, std::size_t> group_of;
  for (const auto& sentence : blocked) {
    const auto [entry, is_new] = group_of.try_emplace(pattern_of(sentence), groups.size());
    if (is_new) groups.push_back({sentence});
    ++groups[entry->second].processes;
  }
  std::stable_sort(groups.begin(), groups.end(),
                   [](const Alike& a, const Alike& b) { return a.processes > b.processes; });
  return groups;
}

}  // namespace

std::string ending_text(const std::string& failure, const std::string& ended_by, bool at_limit,
                        const std::vector<std::string>& blocked, bool all) {
  if (failure.empty() && at_limit) return fmt::format("the run ended at {} that the scenario sets", ended_by);
  std::string text = failure.empty() ? "the run ended by " + ended_by : failure;
  const auto groups = grouped(blocked);
  const std::size_t shown = all || groups.size() <= kEndingLinesMost ? groups.size() : kEndingLinesMost - 1;
  std::size_t rest = blocked.size();
  for (std::size_t i = 0; i < shown; ++i) {
    text += "\n  " + groups[i].first;
    if (groups[i].processes == 2) text += " (another is like it)";
    if (groups[i].processes > 2) text += fmt::format(" ({} others are like it)", groups[i].processes - 1);
    rest -= groups[i].processes;
  }
  if (rest > 0) text += fmt::format("\n  and {} other processes (--all shows them)", rest);
  return text;
}

}  // namespace dpm::cli

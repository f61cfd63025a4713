#include "analysis/causality/causality.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <unordered_map>

#include "analysis/causality/letters.hpp"

namespace dpm {
namespace {

using Path = std::basic_string<char32_t>;  // process numbers, to use std::string's hash and substr

constexpr ProcessId kRequestors{};  // none

struct BranchKey {
  ProcessId at, from, to;
  friend auto operator<=>(const BranchKey&, const BranchKey&) = default;
};

// Follows every request through the history.
class Walk {
 public:
  Walk(const History& history, const CausalityOptions& options, Causality& result)
      : history_(history), options_(options), result_(result) {}

  void run() {
    for (std::uint32_t process = 0; process < history_.process_count(); ++process) {
      if (role(process) != CausalityRole::server) continue;
      for (auto at = history_.first_event[process]; at < history_.first_event[process + 1]; ++at) {
        const HistoryEvent& event = history_.events[at];
        if (event.kind() != HistoryKind::receive) continue;
        if (role(event.peer) == CausalityRole::requestor) {
          ++result_.requests;
          follow_request(at, process);
        } else if (role(event.peer) == CausalityRole::server) {
          ++inner_receives_;
        }
      }
    }
    result_.messages_outside_requests = inner_receives_ - followed_receives_;
  }

  const std::unordered_map<Path, std::uint64_t>& strings() const { return strings_; }
  const std::map<BranchKey, std::uint64_t>& branches() const { return branches_; }

 private:
  struct Step {
    std::uint32_t receive;  // event index
    std::uint32_t process;
    std::size_t depth;  // processes in the string before this one
  };

  CausalityRole role(std::uint32_t process) const {
    return process < result_.roles.size() ? result_.roles[process] : CausalityRole::absent;
  }

  // Depth first, with an explicit stack: chains are as long as the trace.
  void follow_request(std::uint32_t request, std::uint32_t process) {
    Path path;
    stack_.push_back({request, process, 0});
    while (!stack_.empty()) {
      const Step step = stack_.back();
      stack_.pop_back();
      const bool cut = step.depth >= options_.string_length_max;
      if (!cut) {
        path.resize(step.depth);
        path.push_back(step.process);
      }
      if (step.depth == options_.string_length_max) {
        ++result_.strings_cut;
        remember(path);
      }
      if (!follow_sends(step) && !cut) remember(path);
    }
  }

  // Steps (2) and (3). False if the string ends here.
  bool follow_sends(const Step& step) {
    const HistoryEvent& receive = history_.events[step.receive];
    const ProcessId from = role(receive.peer) == CausalityRole::requestor ? kRequestors : ProcessId{receive.peer};
    const std::size_t before = stack_.size();
    for (auto at = step.receive + 1; at < history_.first_event[step.process + 1]; ++at) {
      const HistoryEvent& event = history_.events[at];
      const CausalityRole peer_role = role(event.peer);
      if (event.kind() == HistoryKind::receive && peer_role != CausalityRole::system) break;
      if (event.kind() != HistoryKind::send || peer_role == CausalityRole::system) continue;
      const bool within = peer_role == CausalityRole::server;
      ++branches_[{ProcessId{step.process}, from, within ? ProcessId{event.peer} : kRequestors}];
      if (!within || event.match == kNoEvent) continue;
      ++followed_receives_;
      // Beyond the limit the depth does not grow, so that a chain is cut once.
      const std::size_t depth = std::min(step.depth + 1, options_.string_length_max + 1);
      stack_.push_back({event.match, event.peer, depth});
    }
    std::reverse(stack_.begin() + static_cast<std::ptrdiff_t>(before), stack_.end());  // first send first
    return stack_.size() > before;
  }

  void remember(const Path& path) {
    const auto known = strings_.find(path);
    if (known != strings_.end()) {
      ++known->second;
    } else if (strings_.size() < options_.strings_max) {
      strings_.emplace(path, 1);
    } else {
      ++result_.strings_not_stored;
    }
  }

  const History& history_;
  const CausalityOptions& options_;
  Causality& result_;
  std::vector<Step> stack_;
  std::unordered_map<Path, std::uint64_t> strings_;
  std::map<BranchKey, std::uint64_t> branches_;
  std::uint64_t inner_receives_ = 0, followed_receives_ = 0;
};

std::string spell(const Path& path, const std::vector<std::string>& letters) {
  std::string text;
  for (const char32_t process : path) text += letters[process];
  return text;
}

template <typename Counts>
std::vector<CausalPath> spelled(const Counts& counts, const std::vector<std::string>& letters) {
  std::vector<CausalPath> paths;
  paths.reserve(counts.size());
  for (const auto& [path, count] : counts) {
    paths.push_back({spell(path, letters), count, static_cast<std::uint32_t>(path.size())});
  }
  std::sort(paths.begin(), paths.end(), [](const auto& a, const auto& b) { return a.path < b.path; });
  return paths;
}

// Strings in a fixed order, so that which ones no longer fit does not depend on how a hash table grew.
void count_substrings(const Walk& walk, const CausalityOptions& options, Causality& result) {
  std::vector<std::pair<Path, std::uint64_t>> strings(walk.strings().begin(), walk.strings().end());
  std::sort(strings.begin(), strings.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  std::unordered_map<Path, std::uint64_t> counts;
  for (const auto& [string, occurrences] : strings) {
    for (std::size_t begin = 0; begin + 2 <= string.size(); ++begin) {
      for (std::size_t length = 2; begin + length <= string.size(); ++length) {
        Path part = string.substr(begin, length);
        const auto known = counts.find(part);
        if (known != counts.end()) {
          known->second += occurrences;
        } else if (counts.size() < options.paths_max) {
          counts.emplace(std::move(part), occurrences);
        } else {
          result.paths_not_stored += occurrences;
        }
      }
    }
  }
  result.paths = spelled(counts, result.letters);
}

void compute_branching(const Walk& walk, Causality& result) {
  std::map<std::pair<ProcessId, ProcessId>, std::uint64_t> after;   // (at, from) to sends
  std::map<ProcessId, std::uint64_t> leaving;                       // at to sends
  std::map<std::pair<ProcessId, ProcessId>, std::uint64_t> states;  // (from, to) to messages
  for (const auto& [key, count] : walk.branches()) {
    after[{key.at, key.from}] += count;
    leaving[key.at] += count;
    states[{key.at, key.to}] += count;
  }
  for (const auto& [key, count] : walk.branches()) {
    const auto total = static_cast<double>(after[{key.at, key.from}]);
    result.branching.push_back({key.at, key.from, key.to, count, static_cast<double>(count) / total});
  }
  for (const auto& [arc, count] : states) {
    const auto total = static_cast<double>(leaving[arc.first]);
    result.states.push_back({arc.first, arc.second, count, static_cast<double>(count) / total});
  }
}

// Where requests enter the server.
void add_entries(const History& history, Causality& result) {
  std::map<ProcessId, std::uint64_t> entries;
  for (std::uint32_t process = 0; process < history.process_count(); ++process) {
    if (result.roles[process] != CausalityRole::server) continue;
    for (const HistoryEvent& event : history.of(ProcessId{process})) {
      if (event.kind() != HistoryKind::receive || event.peer >= result.roles.size()) continue;
      if (result.roles[event.peer] == CausalityRole::requestor) ++entries[ProcessId{process}];
    }
  }
  for (const auto& [process, count] : entries) {
    result.states.push_back(
        {kRequestors, process, count, static_cast<double>(count) / static_cast<double>(result.requests)});
  }
}

Result<void> give_letters(const History& history, const CausalityOptions& options, Causality& result) {
  std::vector<std::string> names;
  std::vector<std::size_t> numbers;
  for (std::size_t p = 0; p < result.roles.size(); ++p) {
    if (result.roles[p] != CausalityRole::server) continue;
    names.push_back(history.info.processes[p].name);
    numbers.push_back(p);
  }
  auto letters = assign_letters(names, options.letters);
  if (!letters) return letters.error();
  result.letters.resize(result.roles.size());
  for (std::size_t i = 0; i < numbers.size(); ++i) result.letters[numbers[i]] = (*letters)[i];
  return {};
}

void warn(const History& history, const CausalityOptions& options, Causality& result) {
  result.warnings = history.warnings;
  const auto say = [&](std::uint64_t count, const std::string& what) {
    if (count > 0) result.warnings.push_back(fmt::format("{} {}", count, what));
  };
  say(result.strings_cut, fmt::format("causality strings are longer than {} processes: only their beginning is listed",
                                      options.string_length_max));
  say(result.strings_not_stored, "causality strings are not listed: there are too many different ones");
  say(result.paths_not_stored, "occurrences of paths are not listed: there are too many different ones");
  say(result.messages_outside_requests,
      "messages within the server follow from no request (it sent them of its own accord, "
      "or the request came before the trace began)");
}

}  // namespace

std::uint64_t Causality::count(ProcessId at, ProcessId from, ProcessId to) const {
  const auto key = [](const Branch& branch) { return std::tuple(branch.at, branch.from, branch.to); };
  const auto wanted = std::tuple(at, from, to);
  const auto found = std::lower_bound(branching.begin(), branching.end(), wanted,
                                      [&](const Branch& branch, const auto& value) { return key(branch) < value; });
  return found != branching.end() && key(*found) == wanted ? found->count : 0;
}

Result<Causality> find_causality(const History& history, const CausalityOptions& options) {
  auto roles = classify(history, options.roles);
  if (!roles) return roles.error();
  Causality result;
  result.roles = *roles;
  if (std::count(result.roles.begin(), result.roles.end(), CausalityRole::requestor) == 0) {
    return Error{
        "no process outside the computation sends it requests; name the requestors, or narrow the computation to the "
        "server"};
  }
  if (auto given = give_letters(history, options, result); !given) return given.error();

  Walk walk(history, options, result);
  walk.run();
  result.strings = spelled(walk.strings(), result.letters);
  count_substrings(walk, options, result);
  compute_branching(walk, result);
  add_entries(history, result);
  warn(history, options, result);
  return result;
}

}  // namespace dpm

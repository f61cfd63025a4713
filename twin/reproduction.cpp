#include "twin/reproduction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace dpm::twin {
namespace {

constexpr double kMessagesNearlyAll = 0.98;  // of its messages: a process received, or sent, what it should
constexpr std::size_t kStuckListed = 10;     // processes
constexpr std::size_t kQuotesLookedAt = 8;   // names in an error

// Messages of one group, in the trace and in the twin.
struct Sums {
  double sent_trace = 0, sent_twin = 0, received_trace = 0, received_twin = 0;

  bool received_all() const { return received_twin >= kMessagesNearlyAll * received_trace; }
  bool sent_alike() const {
    return std::abs(sent_twin - sent_trace) <= std::max(1.0, (1 - kMessagesNearlyAll) * sent_trace);
  }
};

const TwinGroup* group_of(const Twin& twin, const std::string& process) {
  const auto found =
      std::find_if(twin.groups.begin(), twin.groups.end(), [&](const auto& group) { return group.is_called(process); });
  return found == twin.groups.end() ? nullptr : &*found;
}

std::map<std::pair<std::string, std::string>, std::uint64_t> by_group(const Twin& twin, const TwinRun& run) {
  std::map<std::string, std::string> known;
  const auto name_of = [&](const std::string& process) {
    const auto [entry, is_new] = known.try_emplace(process);
    const TwinGroup* group = is_new ? group_of(twin, process) : nullptr;
    if (group != nullptr) entry->second = group->name;
    return entry->second;
  };
  std::map<std::pair<std::string, std::string>, std::uint64_t> messages;
  for (const auto& [pair, count] : run.messages) messages[{name_of(pair.first), name_of(pair.second)}] += count;
  return messages;
}

std::map<std::string, Sums> sums_of(const Reproduction& reproduction) {
  std::map<std::string, Sums> sums;
  for (const Reproduced& pair : reproduction.pairs) {
    sums[pair.from].sent_trace += static_cast<double>(pair.in_trace);
    sums[pair.from].sent_twin += static_cast<double>(pair.in_twin);
    sums[pair.to].received_trace += static_cast<double>(pair.in_trace);
    sums[pair.to].received_twin += static_cast<double>(pair.in_twin);
  }
  return sums;
}

// The names between single quotes.
std::vector<std::string> quoted_names(const std::string& text) {
  std::vector<std::string> names;
  for (std::size_t at = text.find('\''); at != std::string::npos && names.size() < kQuotesLookedAt;) {
    const std::size_t end = text.find('\'', at + 1);
    if (end == std::string::npos) break;
    names.push_back(text.substr(at + 1, end - at - 1));
    at = text.find('\'', end + 1);
  }
  return names;
}

class Choice {
 public:
  explicit Choice(const Twin& twin) : twin_(twin) {}

  void add(const TwinGroup* group) {
    if (group != nullptr && !group->as_recorded) chosen_.insert(group->processes.begin(), group->processes.end());
  }
  void add_named(const std::string& text) {
    for (const std::string& name : quoted_names(text)) add(group_of(twin_, name));
  }
  bool any() const { return !chosen_.empty(); }
  std::set<std::uint32_t> take() { return std::move(chosen_); }

 private:
  const Twin& twin_;
  std::set<std::uint32_t> chosen_;
};

void list_lacks(const TwinRun& run, const Bounds& bounds, Reproduction& result) {
  if (!run.failure.empty()) result.lacks.push_back(run.failure);
  std::size_t stuck = 0;
  for (const auto& process : run.processes)
    if (process.stuck && ++stuck <= kStuckListed)
      result.lacks.push_back(fmt::format("'{}' {}", process.name, process.state));
  if (stuck > kStuckListed) result.lacks.push_back(std::to_string(stuck - kStuckListed) + " other processes wait, too");
  if (result.share() < bounds.messages)
    result.lacks.push_back(fmt::format("it makes {} of {} messages{}", result.reproduced, result.in_trace,
                                       result.surplus > 0 ? fmt::format(" and {} others", result.surplus) : ""));
  if (result.T_error() > bounds.T_error) result.lacks.push_back("its T is not that of the trace");
}

}  // namespace

double Reproduction::share() const {
  return in_trace == 0 ? 1 : static_cast<double>(reproduced) / static_cast<double>(in_trace + surplus);
}

double Reproduction::T_error() const {
  if (T_trace_s <= 0) return T_twin_s > 0 ? 1 : 0;
  return std::abs(T_twin_s / T_trace_s - 1);
}

Reproduction compare(const Twin& twin, const TwinRun& run, const Bounds& bounds) {
  Reproduction result;
  const auto made = by_group(twin, run);
  auto pairs = twin.expected.messages;
  for (const auto& [pair, count] : made) pairs.try_emplace(pair, 0);
  for (const auto& [pair, in_trace] : pairs) {
    const auto found = made.find(pair);
    const std::uint64_t in_twin = found == made.end() ? 0 : found->second;
    result.pairs.push_back({pair.first, pair.second, in_trace, in_twin});
    result.reproduced += std::min(in_trace, in_twin);
    result.surplus += in_twin - std::min(in_trace, in_twin);
  }
  std::stable_sort(result.pairs.begin(), result.pairs.end(),
                   [](const auto& a, const auto& b) { return a.in_trace > b.in_trace; });
  result.in_trace = twin.expected.all_messages();
  result.T_trace_s = twin.expected.T_s;
  result.elapsed_trace_s = twin.expected.elapsed_s;
  result.elapsed_twin_s = run.elapsed_s;
  for (const auto& process : run.processes) {
    const TwinGroup* group = group_of(twin, process.name);
    if (group != nullptr && group->in_computation && !group->unmetered) result.T_twin_s += process.cpu_s;
  }
  result.ended = run.failure.empty() &&
                 std::none_of(run.processes.begin(), run.processes.end(), [](const auto& p) { return p.stuck; });
  list_lacks(run, bounds, result);
  return result;
}

std::set<std::uint32_t> to_record(const Twin& twin, const TwinRun& run, const Reproduction& reproduction) {
  Choice choice(twin);
  const auto sums = sums_of(reproduction);
  choice.add_named(run.failure);
  for (const TwinGroup& group : twin.groups) {
    const auto found = sums.find(group.name);
    if (run.processes.empty() || found == sums.end()) continue;
    if (found->second.received_all() && !found->second.sent_alike()) choice.add(&group);
  }
  if (choice.any()) return choice.take();
  for (const auto& process : run.processes) {
    if (!process.stuck) continue;
    choice.add(group_of(twin, process.name));
    choice.add_named(process.state);
  }
  if (choice.any()) return choice.take();
  for (const TwinGroup& group : twin.groups) {
    const auto found = sums.find(group.name);
    if (found != sums.end() && !(found->second.received_all() && found->second.sent_alike())) choice.add(&group);
  }
  if (choice.any()) return choice.take();
  for (const TwinGroup& group : twin.groups) choice.add(&group);
  return choice.take();
}

}  // namespace dpm::twin

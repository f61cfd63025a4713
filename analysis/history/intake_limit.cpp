#include "analysis/history/intake_limit.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace dpm {
namespace {

bool holds(const std::vector<ChannelId>& set, std::uint32_t channel) {
  return std::find(set.begin(), set.end(), ChannelId{channel}) != set.end();
}

// The set other than "any" that the process waits for most often, or 0.
std::uint32_t most_frequent_set(std::span<const HistoryEvent> events) {
  std::map<std::uint32_t, std::uint64_t> times;
  for (const HistoryEvent& event : events)
    if (event.kind() == HistoryKind::receive && event.channel != 0) ++times[event.channel];
  const auto most =
      std::max_element(times.begin(), times.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  return most == times.end() ? 0 : most->first;
}

IntakeLimit find_limit(const History& history, std::span<const HistoryEvent> events) {
  IntakeLimit limit{most_frequent_set(events), 1};  // a limit, so that it governs what is counted here
  const auto& sets = history.info.channel_sets;
  if (limit.answers == 0 || limit.answers >= sets.size()) return {};
  std::int64_t in_progress = 0;
  std::int64_t most_open = std::numeric_limits<std::int64_t>::min();  // while it waited for any message
  std::int64_t least_full = std::numeric_limits<std::int64_t>::max();
  for (const HistoryEvent& event : events) {
    if (event.kind() != HistoryKind::receive) continue;
    if (event.match == kNoEvent) return {};  // the graph does not contain the channel it came over
    if (!limit.governs(event.channel)) continue;
    if (event.channel == 0) {
      most_open = std::max(most_open, in_progress);
    } else {
      least_full = std::min(least_full, in_progress);
    }
    in_progress += holds(sets[limit.answers], history.events[event.match].channel) ? -1 : 1;
  }
  limit.most = least_full;
  return most_open < least_full && limit.most > 1 ? limit : IntakeLimit{};
}

// Whose messages end work, and whose begin it, at the processes of one program.
struct Parties {
  IntakeLimit limit;
  std::set<std::string> answer, ask;  // programs

  // None sends messages of both kinds.
  bool are_distinct() const {
    return std::none_of(answer.begin(), answer.end(), [&](const std::string& name) { return ask.contains(name); });
  }
};

void add_parties(const History& history, std::uint32_t p, const IntakeLimit& limit, Parties& parties) {
  parties.limit = limit;
  for (const HistoryEvent& event : history.of(ProcessId{p})) {
    if (event.kind() != HistoryKind::receive || !limit.governs(event.channel)) continue;
    const bool answers = holds(history.info.channel_sets[limit.answers], history.events[event.match].channel);
    (answers ? parties.answer : parties.ask).insert(history.info.processes[event.peer].program);
  }
}

// Gives a process without a limit that of others of its program, if all that it received came from parties of theirs.
void share_limit(const History& history, std::uint32_t p, const Parties& parties, IntakeLimit& limit) {
  for (const HistoryEvent& event : history.of(ProcessId{p})) {
    if (event.kind() != HistoryKind::receive || event.channel != 0) continue;
    const std::string& sender = event.peer == kNoPeer ? std::string() : history.info.processes[event.peer].program;
    if (event.match == kNoEvent || !(parties.answer.contains(sender) || parties.ask.contains(sender))) return;
  }
  limit.most = parties.limit.most;
  limit.answered_by.resize(history.process_count());
  for (std::uint32_t sender = 0; sender < history.process_count(); ++sender)
    limit.answered_by[sender] = parties.answer.contains(history.info.processes[sender].program);
}

void share_limits(const History& history, std::vector<IntakeLimit>& limits) {
  std::map<std::string, Parties> by_program;
  for (std::uint32_t p = 0; p < limits.size(); ++p)
    if (limits[p].most > 0) add_parties(history, p, limits[p], by_program[history.info.processes[p].program]);
  for (std::uint32_t p = 0; p < limits.size(); ++p) {
    const std::string& program = history.info.processes[p].program;
    const auto parties = by_program.find(program);
    if (limits[p].most > 0 || program.empty() || parties == by_program.end()) continue;
    if (parties->second.are_distinct()) share_limit(history, p, parties->second, limits[p]);
  }
}

}  // namespace

std::vector<IntakeLimit> find_intake_limits(const History& history) {
  std::vector<IntakeLimit> limits(history.process_count());
  if (!history.receive_calls_metered) return limits;
  for (std::uint32_t p = 0; p < limits.size(); ++p) limits[p] = find_limit(history, history.of(ProcessId{p}));
  share_limits(history, limits);
  return limits;
}

}  // namespace dpm

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

// Whose messages come over other channels than those of the set. Empty if the channel of a message is not known, or a
// process sends over both.
std::vector<bool> limited_senders(const History& history, std::span<const HistoryEvent> events,
                                  std::uint32_t when_full) {
  std::vector<bool> limited(history.process_count()), free(history.process_count());
  for (const HistoryEvent& event : events) {
    if (event.kind() != HistoryKind::receive) continue;
    if (event.match == kNoEvent) return {};
    if (event.channel != 0 && event.channel != when_full) continue;
    auto& senders = holds(history.info.channel_sets[when_full], history.events[event.match].channel) ? free : limited;
    senders[event.peer] = true;
  }
  for (std::size_t p = 0; p < limited.size(); ++p)
    if (limited[p] && free[p]) return {};
  return limited;
}

// Over sets of channels. A process that waits for the answer to a call hears from those that it called.
bool hears_from_several_programs(const History& history, std::span<const HistoryEvent> events) {
  std::set<std::string> programs;
  for (const HistoryEvent& event : events)
    if (event.kind() == HistoryKind::receive && event.channel != 0)
      programs.insert(history.info.processes[event.peer].program);
  return programs.size() > 1;
}

IntakeLimit find_limit(const History& history, std::span<const HistoryEvent> events) {
  IntakeLimit limit{most_frequent_set(events), 1, {}};  // a limit, so that it governs what is counted here
  if (limit.when_full == 0 || limit.when_full >= history.info.channel_sets.size()) return {};
  limit.limited = limited_senders(history, events, limit.when_full);
  if (limit.limited.empty()) return {};
  std::int64_t in_progress = 0;
  std::int64_t most_open = std::numeric_limits<std::int64_t>::min();  // while it waited for any message
  std::int64_t least_full = std::numeric_limits<std::int64_t>::max();
  for (const HistoryEvent& event : events) {
    if (event.peer == kNoPeer) continue;
    if (event.kind() == HistoryKind::send && limit.limited[event.peer] && in_progress > 0) --in_progress;
    if (event.kind() != HistoryKind::receive || !limit.governs(event.channel)) continue;
    if (event.channel == 0) {
      most_open = std::max(most_open, in_progress);
    } else {
      least_full = std::min(least_full, in_progress);
    }
    in_progress += limit.limited[event.peer] ? 1 : 0;
  }
  limit.most = least_full;
  const bool is_limit = most_open < least_full && (limit.most > 1 || hears_from_several_programs(history, events));
  return is_limit && limit.most > 0 ? limit : IntakeLimit{};
}

// What the processes of one program show together.
struct OfProgram {
  std::int64_t most = 0;
  std::set<std::string> limited, free;  // programs of senders
  std::vector<bool> limited_senders;    // by process

  bool are_distinct() const {
    return std::none_of(free.begin(), free.end(), [&](const std::string& name) { return limited.contains(name); });
  }
};

void add_senders(const History& history, std::uint32_t p, const IntakeLimit& limit, OfProgram& shown) {
  shown.most = limit.most;
  for (const HistoryEvent& event : history.of(ProcessId{p}))
    if (event.kind() == HistoryKind::receive && limit.governs(event.channel))
      (limit.limited[event.peer] ? shown.limited : shown.free).insert(history.info.processes[event.peer].program);
}

// Whether all that the process received over any channel came from programs that are known to be limited or not.
bool knows_all_senders(const History& history, std::uint32_t p, const OfProgram& shown) {
  const auto events = history.of(ProcessId{p});
  return std::all_of(events.begin(), events.end(), [&](const HistoryEvent& event) {
    if (event.kind() != HistoryKind::receive || event.channel != 0) return true;
    if (event.match == kNoEvent || event.peer == kNoPeer) return false;
    const std::string& sender = history.info.processes[event.peer].program;
    return shown.limited.contains(sender) || shown.free.contains(sender);
  });
}

// A process has the limit of others of its program, and all processes of a program that is limited are.
void share_limits(const History& history, std::vector<IntakeLimit>& limits) {
  std::map<std::string, OfProgram> by_program;
  for (std::uint32_t p = 0; p < limits.size(); ++p)
    if (limits[p].exists()) add_senders(history, p, limits[p], by_program[history.info.processes[p].program]);
  for (auto& [program, shown] : by_program)
    for (const ProcessInfo& sender : history.info.processes)
      shown.limited_senders.push_back(shown.limited.contains(sender.program));
  for (std::uint32_t p = 0; p < limits.size(); ++p) {
    const std::string& program = history.info.processes[p].program;
    const auto shown = by_program.find(program);
    if (program.empty() || shown == by_program.end() || !shown->second.are_distinct()) continue;
    if (!limits[p].exists() && !knows_all_senders(history, p, shown->second)) continue;
    limits[p].most = shown->second.most;
    limits[p].limited = shown->second.limited_senders;
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

#include "analysis/behaviour/roles.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "analysis/history/handouts.hpp"

namespace dpm {
namespace {

bool is_message(const HistoryEvent& event) {
  return event.kind() == HistoryKind::send || event.kind() == HistoryKind::receive ||
         event.kind() == HistoryKind::move_data;
}

struct Master {
  std::uint32_t process = kNoPeer;
  bool speaks_first = false;  // the worker sends first
};

// The process that tells another what to do: the other end of its first message. The worker may ask others: it hears
// from them only directly after it has sent to them.
std::optional<Master> master_of(const History& history, std::uint32_t process) {
  std::optional<Master> master;
  std::uint32_t spoke_to = kNoPeer;
  for (const HistoryEvent& event : history.of(ProcessId{process})) {
    if (!is_message(event)) continue;
    if (event.peer == kNoPeer || event.peer == process) return std::nullopt;
    const bool hears = event.kind() == HistoryKind::receive;
    if (!master) master = Master{event.peer, !hears};
    if (hears && event.peer != master->process && event.peer != spoke_to) return std::nullopt;
    spoke_to = hears ? kNoPeer : event.peer;
  }
  return master;
}

bool contains(const std::vector<ProcessId>& processes, std::uint32_t process) {
  return std::find(processes.begin(), processes.end(), ProcessId{process}) != processes.end();
}

// Whether a RECEIVE with this channel set may take messages of more than one worker: sets name channels, and a worker's
// channel is known from what it sent.
bool takes_any_worker(const History& history, std::uint32_t set,
                      const std::map<std::uint32_t, std::uint32_t>& worker_of_channel, std::size_t channels_shared) {
  const auto& sets = history.info.channel_sets;
  if (set == 0 || set >= sets.size() || channels_shared > 0) return true;
  std::optional<std::uint32_t> first;
  for (const ChannelId channel : sets[set]) {
    const auto worker = worker_of_channel.find(channel.value);
    if (worker == worker_of_channel.end()) continue;
    if (first && *first != worker->second) return true;
    first = worker->second;
  }
  return false;
}

// Pieces that have not come back, by worker.
class Outstanding {
 public:
  Outstanding(const History& history, const RoleGroup& group, bool speak_first) : history_(history), group_(group) {
    pieces_.assign(history.process_count(), speak_first ? 1 : 0);
  }

  // The segment of the dispatcher that begins with `receive`.
  void pass(std::uint32_t receive) {
    const HistoryEvent& begin = history_.events[receive];
    if (contains(group_.workers, begin.peer)) --pieces_[begin.peer];
    sent_from(receive + 1);
  }
  void sent_from(std::uint32_t first) {
    const std::uint32_t end = history_.first_event[group_.dispatcher.value + 1];
    for (std::uint32_t e = first; e < end && history_.events[e].kind() != HistoryKind::receive; ++e) {
      const HistoryEvent& event = history_.events[e];
      if (event.kind() == HistoryKind::send && event.match != kNoEvent && contains(group_.workers, event.peer))
        ++pieces_[event.peer];
    }
  }
  bool another_is_idle(std::uint32_t worker) const {
    return std::any_of(group_.workers.begin(), group_.workers.end(),
                       [&](ProcessId other) { return other.value != worker && pieces_[other.value] <= 0; });
  }

 private:
  const History& history_;
  const RoleGroup& group_;
  std::vector<std::int64_t> pieces_;
};

// Whether workers that speak first fetch work, rather than having work done: see the header.
bool fetch_work(const History& history, const RoleGroup& group, const std::vector<Handout>& handouts) {
  const std::size_t count = group.workers.size();
  if (handouts.size() < 3 * count) return false;
  const auto answered_after = [&](std::uint32_t receive) {
    const std::uint32_t end = history.first_event[group.dispatcher.value + 1];
    for (std::uint32_t e = receive + 1; e < end; ++e) {
      const HistoryEvent& event = history.events[e];
      if (event.kind() == HistoryKind::send && event.peer == history.events[receive].peer) return true;
    }
    return false;
  };
  std::vector<std::uint32_t> last;
  bool answered = false;
  for (auto handout = handouts.end() - static_cast<std::ptrdiff_t>(count); handout != handouts.end(); ++handout) {
    last.push_back(history.events[handout->receive].peer);
    answered |= answered_after(handout->receive);
  }
  std::sort(last.begin(), last.end());
  if (std::adjacent_find(last.begin(), last.end()) != last.end()) return false;
  if (!answered) return true;
  std::vector<std::size_t> events;
  for (const ProcessId worker : group.workers) events.push_back(history.of(worker).size());
  const bool equally_much = std::adjacent_find(events.begin(), events.end(), std::not_equal_to<>()) == events.end();
  return count > 2 && !equally_much;
}

// Whether results are answers to clients, which speak first: each belongs to a request, and not to the worker that is free.
bool passes_results_on(const History& history, const RoleGroup& group, const std::vector<Handout>& handouts) {
  constexpr std::size_t kMostPassedOn = 2;  // one of that many: fewer are the ends of rounds that clients asked for
  std::set<std::uint32_t> clients, spoken_to;
  const std::uint32_t end = history.first_event[group.dispatcher.value + 1];
  for (std::uint32_t e = history.first_event[group.dispatcher.value]; e < end; ++e) {
    const HistoryEvent& event = history.events[e];
    if (event.match == kNoEvent || contains(group.workers, event.peer)) continue;
    if (event.kind() == HistoryKind::send) spoken_to.insert(event.peer);
    if (event.kind() == HistoryKind::receive && !spoken_to.contains(event.peer)) clients.insert(event.peer);
  }
  const auto is_passed_on = [&](const Handout& handout) {
    for (std::uint32_t e = handout.receive + 1; e < end && history.events[e].kind() != HistoryKind::receive; ++e)
      if (history.events[e].kind() == HistoryKind::send && clients.contains(history.events[e].peer)) return true;
    return false;
  };
  const auto passed = std::count_if(handouts.begin(), handouts.end(), is_passed_on);
  return static_cast<std::size_t>(passed) * kMostPassedOn >= handouts.size();
}

bool hands_out_work(const History& history, RoleGroup& group, bool speak_first) {
  std::map<std::uint32_t, std::uint32_t> worker_of_channel;
  std::size_t shared = 0;
  for (const ProcessId worker : group.workers) {
    for (const HistoryEvent& event : history.of(worker)) {
      if (event.kind() != HistoryKind::send || event.peer != group.dispatcher.value) continue;
      const auto [entry, is_new] = worker_of_channel.try_emplace(event.channel, worker.value);
      if (!is_new && entry->second != worker.value) ++shared;
    }
  }
  const auto handouts = handouts_of(history, group.dispatcher,
                                    [&group](std::uint32_t process) { return contains(group.workers, process); });
  if (speak_first && !fetch_work(history, group, handouts)) return false;
  if (passes_results_on(history, group, handouts)) return false;
  Outstanding outstanding(history, group, speak_first);
  outstanding.sent_from(history.first_event[group.dispatcher.value]);
  std::int64_t answers = 0, beginnings = 0, contradicts = 0;
  std::uint32_t at = history.first_event[group.dispatcher.value];
  for (const Handout& handout : handouts) {
    const HistoryEvent& begin = history.events[handout.receive];
    if (!takes_any_worker(history, begin.channel, worker_of_channel, shared)) return false;
    for (; at < handout.receive; ++at)
      if (history.events[at].kind() == HistoryKind::receive && !contains(group.workers, history.events[at].peer))
        outstanding.pass(at);
    const bool answer = handout.kind == Handout::Kind::answer;
    contradicts += handout.kind == Handout::Kind::other || (answer && outstanding.another_is_idle(begin.peer));
    answers += answer;
    beginnings += handout.kind == Handout::Kind::restart;
    outstanding.pass(handout.receive);
    at = handout.receive + 1;
  }
  group.reason =
      answers == 0
          ? fmt::format("give several workers their tasks and continue when all results are back, {} times", beginnings)
          : fmt::format("hand out tasks to free workers: {} results are answered with the next task{}", answers,
                        beginnings > 0 ? fmt::format(", {} rounds begin when all results are back", beginnings) : "");
  return answers + beginnings > contradicts;
}

}  // namespace

std::vector<RoleGroup> find_role_groups(const History& history) {
  struct GroupCandidate {
    RoleGroup group;
    bool speak_first = false;
  };
  std::map<std::tuple<std::uint32_t, std::string, bool>, GroupCandidate> candidates;
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    const auto master = master_of(history, p);
    const ProcessInfo& info = history.info.processes[p];
    if (!master || info.program.empty() || history.of(ProcessId{master->process}).empty()) continue;
    GroupCandidate& candidate = candidates[{master->process, info.program, master->speaks_first}];
    candidate.speak_first = master->speaks_first;
    candidate.group.dispatcher = {master->process};
    candidate.group.program = info.program;
    candidate.group.workers.push_back({p});
  }
  std::vector<RoleGroup> found;
  const auto is_taken = [&](std::uint32_t process) {
    return std::any_of(found.begin(), found.end(), [&](const RoleGroup& other) {
      return other.dispatcher.value == process || contains(other.workers, process);
    });
  };
  for (auto& entry : candidates) {
    RoleGroup& group = entry.second.group;
    // A process has only one role.
    const bool taken =
        is_taken(group.dispatcher.value) || std::any_of(group.workers.begin(), group.workers.end(),
                                                        [&](ProcessId worker) { return is_taken(worker.value); });
    if (group.workers.size() >= 2 && !taken && hands_out_work(history, group, entry.second.speak_first))
      found.push_back(std::move(group));
  }
  return found;
}

Roles to_roles(const std::vector<RoleGroup>& groups, std::size_t process_count) {
  Roles roles;
  if (groups.empty()) return roles;
  roles.dispatcher_of.assign(process_count, Roles::kNone);
  for (const auto& group : groups) {
    roles.dispatcher_of[group.dispatcher.value] = group.dispatcher.value;
    for (const ProcessId worker : group.workers) roles.dispatcher_of[worker.value] = group.dispatcher.value;
  }
  return roles;
}

}  // namespace dpm

#include "analysis/behaviour/behaviour.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/behaviour/counting.hpp"
#include "analysis/behaviour/destination_finder.hpp"
#include "analysis/behaviour/gather_finder.hpp"
#include "analysis/behaviour/request_queue_finder.hpp"
#include "analysis/behaviour/semaphore_finder.hpp"

namespace dpm {
namespace {

// The number of senders over the channel set that has most; with one, the order of receives is the sender's.
std::size_t most_senders(const History& history, std::uint32_t process) {
  std::map<std::uint32_t, std::set<std::uint32_t>> senders;
  std::size_t most = 0;
  for (const HistoryEvent& event : history.of(ProcessId{process})) {
    if (event.kind() != HistoryKind::receive) continue;
    auto& of_set = senders[event.channel];
    of_set.insert(event.peer);
    most = std::max(most, of_set.size());
  }
  return most;
}

std::string names(const History& history, const std::vector<std::uint32_t>& processes) {
  constexpr std::size_t kShown = 3;
  std::string text;
  for (std::size_t i = 0; i < std::min(processes.size(), kShown); ++i)
    text += (i == 0 ? "" : ", ") + history.info.processes[processes[i]].name;
  return processes.size() > kShown ? text + ", ..." : text;
}

std::string seconds_text(std::int64_t ns) { return fmt::format("{:.4g} s", static_cast<double>(ns) * 1e-9); }

std::vector<ProcessId> as_ids(const std::vector<std::uint32_t>& processes) {
  std::vector<ProcessId> ids;
  for (const std::uint32_t p : processes) ids.push_back({p});
  return ids;
}

// Processes of one program that do the same are one entry.
struct AlikeProcesses {
  std::vector<ProcessId> processes;
  std::size_t times = 0;

  void add(std::uint32_t process, std::size_t more) {
    processes.push_back({process});
    times += more;
  }
};

class Chooser {
 public:
  explicit Chooser(const History& history) : history_(history), chosen_(history.process_count(), false) {}

  InferredBehaviour run() {
    wait_for_timers();
    sleep();
    choose_among_requests();
    hand_out();
    count();
    gather();
    choose_destinations();
    leave_the_others();
    find_what_is_hidden();
    return std::move(choice_);
  }

 private:
  // Its own name where the trace does not say.
  std::string program_of(std::uint32_t process) const {
    const ProcessInfo& info = history_.info.processes[process];
    return info.program.empty() ? info.name : info.program;
  }

  void hand_out() {
    choice_.groups = find_role_groups(history_);
    std::erase_if(choice_.groups, [this](const RoleGroup& group) { return chosen_[group.dispatcher.value]; });
    const Roles found = to_roles(choice_.groups, history_.process_count());
    choice_.roles.dispatcher_of = found.dispatcher_of;
    for (const RoleGroup& group : choice_.groups) {
      BehaviourRule entry{"role", {group.dispatcher}, group.reason};
      entry.processes.insert(entry.processes.end(), group.workers.begin(), group.workers.end());
      for (const ProcessId process : entry.processes) chosen_[process.value] = true;
      choice_.why.push_back(std::move(entry));
    }
  }

  void count() {
    for (const Counting& counting : find_counting(history_)) {
      if (chosen_[counting.process.value]) continue;
      chosen_[counting.process.value] = true;
      auto& counts = choice_.roles.counts_from;
      if (counts.empty()) counts.resize(history_.process_count());
      if (counting.or_in_turn) choice_.counts_or_in_turn.push_back(counting.process);
      counts[counting.process.value] = counting.senders;
      choice_.why.push_back({"count",
                             {counting.process},
                             fmt::format("continue after every {} messages from any of {}, {} times{}", counting.every,
                                         names(history_, counting.senders), counting.times,
                                         counting.or_in_turn ? "; or wait for one after the other" : "")});
    }
  }

  void gather() {
    std::vector<bool> settled = chosen_;
    for (std::uint32_t p = 0; p < settled.size(); ++p) settled[p] = settled[p] && !choice_.roles.has_queue(p);
    if (choice_.roles.timers != nullptr)
      for (const TimersOfProgram& calls : choice_.roles.timers->of_calls)
        for (const std::uint32_t p : calls.processes) settled[p] = true;
    FoundGathers found = find_gathers(history_, settled);
    std::map<std::tuple<std::string, std::size_t, std::size_t, bool>, AlikeProcesses> alike;
    for (const GatherRule& rule : found.rules)
      alike[{program_of(rule.process), rule.needed, rule.asked, rule.or_by_sender}].add(rule.process, rule.times);
    for (const auto& [key, those] : alike) {
      const auto& [program, needed, asked, or_by_sender] = key;
      const std::string answers =
          needed == asked ? fmt::format("all {} answers", asked) : fmt::format("{} of {} answers", needed, asked);
      choice_.why.push_back({"gather", those.processes,
                             fmt::format("ask {} at once and continue after {}, {} times{}", asked, answers,
                                         those.times, or_by_sender ? "; or after those of the same senders" : "")});
      choice_.gathers_by_sender |= or_by_sender;
    }
    for (const OpenGather& open : found.open) {
      choice_.open.push_back(ProcessId{open.process});
      choice_.why.push_back({"open",
                             {ProcessId{open.process}},
                             fmt::format("ask several at once, {} times; the trace does not show which answers they "
                                         "need ({} contradict each rule)",
                                         open.times, open.contradictions),
                             true});
    }
    if (!found.gathers.empty()) choice_.roles.gathers = std::make_shared<const Gathers>(std::move(found.gathers));
  }

  void choose_among_requests() {
    std::vector<bool> settled = chosen_;
    for (const TimersOfProgram& idle : idle_)
      for (const std::uint32_t p : idle.processes) settled[p] = true;
    RequestQueues queues;
    std::map<std::pair<std::string, std::int64_t>, AlikeProcesses> alike;
    for (RequestQueue& queue : find_semaphores(history_, settled)) {
      settled[queue.process] = true;
      alike[{program_of(queue.process), queue.semaphore->units}].add(queue.process, queue.semaphore->waited);
      queues.queues.push_back(std::move(queue));
    }
    for (const auto& [key, those] : alike)
      choice_.why.push_back({"semaphore", those.processes, reason_of_semaphore(key.second, those.times)});
    for (RequestQueue& queue : find_request_queues(history_, settled).queues) {
      choice_.why.push_back({"queue", {ProcessId{queue.process}}, reason_of(queue)});
      queues.queues.push_back(std::move(queue));
    }
    if (queues.empty()) return;
    std::sort(queues.queues.begin(), queues.queues.end(),
              [](const RequestQueue& a, const RequestQueue& b) { return a.process < b.process; });
    for (const RequestQueue& queue : queues.queues) chosen_[queue.process] = true;
    choice_.roles.queues = std::make_shared<const RequestQueues>(std::move(queues));
  }

  void choose_destinations() {
    std::vector<bool> has_order(history_.process_count());
    for (std::uint32_t p = 0; p < has_order.size(); ++p) has_order[p] = most_senders(history_, p) > 1;
    FoundChoices found = find_choices(history_, has_order, chosen_);
    std::map<std::tuple<DestinationChoice::Rule, std::string, std::uint32_t, std::set<std::uint32_t>>, AlikeProcesses>
        alike;
    const auto key_of = [this](const DestinationChoice& choice) {
      return std::tuple(choice.rule, program_of(choice.process), choice.number,
                        std::set(choice.members.begin(), choice.members.end()));
    };
    for (const DestinationChoice& choice : found.known.choices)
      alike[key_of(choice)].add(choice.process, choice.sends.size());
    for (const DestinationChoice& choice : found.known.choices) {
      const AlikeProcesses& those = alike[key_of(choice)];
      if (those.processes.front() == ProcessId{choice.process})
        choice_.why.push_back({choice.rule == DestinationChoice::Rule::in_turn ? "round robin" : "least outstanding",
                               those.processes, reason_of(choice, those.times, history_)});
    }
    choice_.choices = std::move(found.all);
    if (!found.known.empty())
      choice_.roles.destinations = std::make_shared<const DestinationChoices>(std::move(found.known));
  }

  void wait_for_timers() {
    Timers timers = find_timers(history_);
    for (const TimersOfProgram& calls : timers.of_calls)
      choice_.why.push_back({"timer", as_ids(calls.processes),
                             fmt::format("time out after {} without an answer, {} times: modelled as a timeout",
                                         seconds_text(calls.wait_ns), calls.times)});
    idle_ = std::move(timers.idle);
    if (!timers.waits_ns.empty()) choice_.roles.timers = std::make_shared<const Timers>(std::move(timers));
  }

  void sleep() {
    Sleeps sleeps = find_sleeps(history_);
    if (sleeps.before_ns.empty()) return;
    choice_.why.push_back({"sleep", as_ids(sleeps.processes),
                           fmt::format("sleep {} times, {} in all: modelled as sleeps of the same length",
                                       sleeps.before_ns.size(), seconds_text(sleeps.total_ns))});
    choice_.roles.sleeps = std::make_shared<const Sleeps>(std::move(sleeps));
  }

  void leave_the_others() {
    BehaviourRule arrival{"arrival", {}, "react to each message as it arrives"};
    BehaviourRule any{"any", {}, "wait for one sender at a time: every order is the same"};
    for (std::uint32_t p = 0; p < history_.process_count(); ++p) {
      if (chosen_[p]) continue;
      const std::size_t senders = most_senders(history_, p);
      if (senders > 0) (senders > 1 ? arrival : any).processes.push_back({p});
    }
    for (BehaviourRule* entry : {&arrival, &any})
      if (!entry->processes.empty()) choice_.why.push_back(std::move(*entry));
  }

  void find_what_is_hidden() {
    choice_.hidden = find_hidden_state(history_, choice_.roles, idle_);
    for (const TimersOfProgram& idle : idle_)
      choice_.why.push_back(
          {"idle", as_ids(idle.processes),
           fmt::format("act after {} without a message, {} times: whether they would on the new placement is unknown",
                       seconds_text(idle.wait_ns), idle.times),
           true});
    for (const HiddenState::Entry& entry : choice_.hidden.entries)
      choice_.why.push_back({std::string(name_of(entry.kind)), {ProcessId{entry.process}}, reason_of(entry), true});
  }

  const History& history_;
  std::vector<bool> chosen_;
  std::vector<TimersOfProgram> idle_;
  InferredBehaviour choice_;
};

}  // namespace

InferredBehaviour infer_behaviour(const History& history) { return Chooser(history).run(); }

}  // namespace dpm

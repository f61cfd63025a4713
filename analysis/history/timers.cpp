#include "analysis/history/timers.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "analysis/history/retries.hpp"

namespace dpm {
namespace {

// Shorter ones only look for a message.
constexpr double kLeast_ns = 10'000;
constexpr std::size_t kTimesAtLeast = 3;
// As many have the length of the shortest. Others are longer: the process shared its machine when it went on.
constexpr double kAlikeAtLeast = .25;
constexpr double kAlike = .01;
constexpr double kClock_ns = 2'000;

struct Lengths {
  double shortest_ns = 0;
  double alike = 0;  // the share of those as long as the shortest
};

Lengths lengths_of(const std::vector<UnmetWait>& waits, std::uint64_t UnmetWait::*since) {
  const auto shorter = [since](const UnmetWait& a, const UnmetWait& b) { return a.*since < b.*since; };
  Lengths lengths;
  lengths.shortest_ns = static_cast<double>((*std::min_element(waits.begin(), waits.end(), shorter)).*since);
  const double most_ns = lengths.shortest_ns * (1 + kAlike) + kClock_ns;
  const auto alike = std::count_if(waits.begin(), waits.end(),
                                   [&](const UnmetWait& wait) { return static_cast<double>(wait.*since) <= most_ns; });
  lengths.alike = static_cast<double>(alike) / static_cast<double>(waits.size());
  return lengths;
}

// Which SEND of a process answers which message of another: the k-th the k-th, if each answer comes after its message. A
// server that is behind when its clients end does not answer the last ones.
class Answers {
 public:
  explicit Answers(const History& history) : history_(history) {}

  // Of the RECEIVE of a request; kNoEvent if it is not known.
  std::uint32_t to(std::uint32_t request) {
    const std::uint32_t server = history_.owner_of(request).value, client = history_.events[request].peer;
    const auto [found, is_new] = exchanges_.try_emplace({server, client});
    Exchange& exchange = found->second;
    if (is_new) {
      for (std::uint32_t e = history_.first_event[server]; e < history_.first_event[server + 1]; ++e) {
        const HistoryEvent& event = history_.events[e];
        if (event.peer != client) continue;
        if (event.kind() == HistoryKind::receive) exchange.requests.push_back(e);
        if (event.kind() == HistoryKind::send) exchange.answers.push_back(e);
      }
      exchange.in_order = exchange.are_in_order();
    }
    const auto number = static_cast<std::size_t>(
        std::lower_bound(exchange.requests.begin(), exchange.requests.end(), request) - exchange.requests.begin());
    return exchange.in_order && number < exchange.answers.size() ? exchange.answers[number] : kNoEvent;
  }

 private:
  struct Exchange {
    std::vector<std::uint32_t> requests, answers;
    bool in_order = false;

    bool are_in_order() const {
      if (answers.size() > requests.size()) return false;
      for (std::size_t i = 0; i < answers.size(); ++i)
        if (answers[i] < requests[i]) return false;
      return true;
    }
  };
  const History& history_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Exchange> exchanges_;
};

bool is_send(const HistoryEvent& event) { return event.kind() == HistoryKind::send && event.match != kNoEvent; }

// For calls of a program that waits for answers with a timer.
void find_answers(const History& history, const TimersOfProgram& calls, Timers& timers) {
  Answers answers(history);
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    if (history.info.processes[p].program != history.info.processes[calls.processes.front()].program) continue;
    for (std::uint32_t e = history.first_event[p] + 1; e < history.first_event[p + 1]; ++e) {
      const HistoryEvent &event = history.events[e], &before = history.events[e - 1];
      if (!is_send(before)) continue;
      if (event.kind() == HistoryKind::receive && event.channel != 0 && event.peer == before.peer)
        timers.limits_ns[e] = calls.wait_ns;
      if (!timers.waits_ns.contains(e)) continue;
      const std::uint32_t answer = answers.to(before.match);
      if (answer != kNoEvent && history.events[answer].match == kNoEvent) timers.late_answers[answer] = e;
    }
  }
}

}  // namespace

Timers find_timers(const History& history) {
  struct Waits {
    std::vector<UnmetWait> waits;
    std::vector<std::uint32_t> processes;
  };
  std::map<std::pair<std::string, bool>, Waits> alike;  // by program, and whether it waits for any message
  for (const UnmetWait& wait : history.unmet_waits) {
    const std::uint32_t p = history.owner_of(wait.event).value;
    if (history.info.processes[p].program.empty()) continue;
    Waits& waits = alike[{history.info.processes[p].program, wait.channel_set == 0}];
    waits.waits.push_back(wait);
    if (waits.processes.empty() || waits.processes.back() != p) waits.processes.push_back(p);
  }
  Timers timers;
  for (const auto& [key, found] : alike) {
    if (found.waits.size() < kTimesAtLeast) continue;
    const Lengths since_call = lengths_of(found.waits, &UnmetWait::since_call_ns),
                  since_send = lengths_of(found.waits, &UnmetWait::since_send_ns);
    const bool for_several = !key.second && since_send.alike > since_call.alike;
    if (for_several || since_call.alike < kAlikeAtLeast || since_call.shortest_ns < kLeast_ns) continue;
    const TimersOfProgram of_program{found.processes, static_cast<std::int64_t>(since_call.shortest_ns),
                                     found.waits.size()};
    (key.second ? timers.idle : timers.of_calls).push_back(of_program);
    if (key.second) continue;
    for (const UnmetWait& wait : found.waits) timers.waits_ns.emplace(wait.event, of_program.wait_ns);
    find_answers(history, of_program, timers);
  }
  timers.retries = find_retries(history, timers);
  return timers;
}

}  // namespace dpm

#include "analysis/history/handouts.hpp"

#include <algorithm>
namespace dpm {
namespace {

// Messages to `dispatcher` until it is heard from again, whatever the receiver asks others meanwhile.
std::int64_t messages_to(const History& history, std::uint32_t dispatcher, std::uint32_t first, std::uint32_t end) {
  std::int64_t results = 0;
  for (std::uint32_t e = first; e < end; ++e) {
    const HistoryEvent& event = history.events[e];
    if (event.peer != dispatcher) continue;
    if (event.kind() == HistoryKind::receive) break;
    results += event.kind() == HistoryKind::send && event.match != kNoEvent;
  }
  return results;
}

// The number of results that `send` asks for.
std::int64_t results_of(const History& history, const HistoryEvent& send, std::uint32_t dispatcher) {
  if (send.match == kNoEvent) return 0;
  return messages_to(history, dispatcher, send.match + 1, history.first_event[send.peer + 1]);
}

// Messages from workers before they are told anything.
std::int64_t greetings(const History& history, std::uint32_t dispatcher,
                       const std::function<bool(std::uint32_t)>& is_worker) {
  std::int64_t count = 0;
  for (std::uint32_t p = 0; p < history.process_count(); ++p)
    if (is_worker(p)) count += messages_to(history, dispatcher, history.first_event[p], history.first_event[p + 1]);
  return count;
}

bool is_answer(std::uint32_t to_sender, std::uint32_t to_workers) { return to_sender == 1 && to_workers == 1; }

}  // namespace

std::vector<Handout> handouts_of(const History& history, ProcessId dispatcher,
                                 const std::function<bool(std::uint32_t)>& is_worker) {
  std::vector<Handout> handouts;
  std::vector<std::size_t> answers_at_zero;
  std::int64_t open = greetings(history, dispatcher.value, is_worker);  // results still to come
  bool synchronises = false;
  const std::uint32_t end = history.first_event[dispatcher.value + 1];
  for (std::uint32_t e = history.first_event[dispatcher.value]; e < end;) {
    const HistoryEvent& begin = history.events[e];
    const bool from_worker = begin.kind() == HistoryKind::receive && begin.match != kNoEvent && is_worker(begin.peer);
    open -= from_worker;
    const bool all_back = open == 0;
    std::uint32_t to_sender = 0, to_workers = 0;
    const std::uint32_t receive = e;
    // The first segment may begin with any event; the others begin with their RECEIVE.
    for (bool first = true; e < end && (first || history.events[e].kind() != HistoryKind::receive);
         ++e, first = false) {
      const HistoryEvent& event = history.events[e];
      if (event.kind() != HistoryKind::send || !is_worker(event.peer)) continue;
      ++to_workers;
      to_sender += event.peer == begin.peer;
      open += results_of(history, event, dispatcher.value);
    }
    if (!from_worker) continue;
    Handout handout{receive};
    const bool answer = is_answer(to_sender, to_workers);
    if (to_workers == 0) {
      handout.kind = Handout::Kind::nothing;
    } else if (all_back) {
      handout.kind = Handout::Kind::restart;
      if (answer) answers_at_zero.push_back(handouts.size());
      synchronises |= !answer;
    } else {
      handout.kind = answer ? Handout::Kind::answer : Handout::Kind::other;
    }
    handouts.push_back(handout);
  }
  if (!synchronises) {
    for (const std::size_t i : answers_at_zero) handouts[i].kind = Handout::Kind::answer;
  }
  return handouts;
}

std::vector<Handout> handouts_of(const History& history, const Roles& roles, std::uint32_t process) {
  if (roles.is_dispatcher(process)) {
    return handouts_of(history, ProcessId{process}, [&](std::uint32_t other) {
      return roles.is_worker(other) && roles.dispatcher_of[other] == process;
    });
  }
  std::vector<Handout> handouts;
  if (!roles.counts(process)) return handouts;
  const auto& from = roles.counts_from[process];
  for (std::uint32_t e = history.first_event[process]; e < history.first_event[process + 1]; ++e) {
    const HistoryEvent& event = history.events[e];
    if (event.kind() == HistoryKind::receive && event.match != kNoEvent &&
        std::binary_search(from.begin(), from.end(), event.peer))
      handouts.push_back({e, Handout::Kind::other});
  }
  return handouts;
}

}  // namespace dpm

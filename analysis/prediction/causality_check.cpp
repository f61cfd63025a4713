#include "analysis/prediction/causality_check.hpp"

#include <algorithm>
#include <unordered_map>

#include "analysis/history/message_costs.hpp"

namespace dpm {
namespace {

constexpr double kRounding_ns = 1;  // of arrivals, which are whole

// By process: its events as this schedule has them one after the other. None for a process that does not perform just its own, or
// gives up a call.
std::vector<std::vector<std::uint32_t>> events_in_order(const History& history, const Schedule& schedule) {
  std::vector<std::uint32_t> next(history.events.size(), kNoEvent);
  for (std::uint32_t e = 0; e < next.size(); ++e)
    if (schedule.previous[e] != kNoEvent) next[schedule.previous[e]] = e;
  std::vector<std::vector<std::uint32_t>> in_order(history.process_count());
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    std::uint32_t first = kNoEvent;
    bool own = true;
    for (std::uint32_t e = history.first_event[p]; own && e < history.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history.events[e];
      const bool given_up =
          event.kind() == HistoryKind::receive && event.match != kNoEvent && schedule.cause[e] == kNoEvent;
      own = schedule.performed_by[e] == p && !given_up;
      if (schedule.previous[e] == kNoEvent) first = e;
    }
    if (!own) continue;
    for (std::uint32_t e = first; e != kNoEvent; e = next[e]) in_order[p].push_back(e);
  }
  return in_order;
}

}  // namespace

CausalityCheck::CausalityCheck(const History& history) : history_(history), calls_(history.process_count()) {
  struct Conversation {
    std::uint32_t asked = kNoEvent;  // a SEND without an answer
    bool alternates = true;
    std::vector<Call> calls;
  };
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    std::unordered_map<std::uint32_t, Conversation> with;
    for (std::uint32_t e = history.first_event[p]; e < history.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history.events[e];
      const HistoryKind kind = event.kind();
      if ((kind != HistoryKind::send && kind != HistoryKind::receive) || event.peer == kNoPeer || event.peer == p)
        continue;
      Conversation& conversation = with[event.peer];
      const bool is_due = event.match != kNoEvent && (kind == HistoryKind::send) == (conversation.asked == kNoEvent);
      conversation.alternates &= is_due;
      if (!conversation.alternates) continue;
      if (kind == HistoryKind::send) {
        conversation.asked = e;
      } else {
        const bool after = history.events[conversation.asked].match < event.match;
        conversation.alternates &= after;
        conversation.calls.push_back({event.peer, conversation.asked, event.match});
        conversation.asked = kNoEvent;
      }
    }
    for (const auto& [server, conversation] : with)
      if (conversation.alternates)
        calls_[p].insert(calls_[p].end(), conversation.calls.begin(), conversation.calls.end());
    std::sort(calls_[p].begin(), calls_[p].end(), [](const Call& a, const Call& b) { return a.request < b.request; });
  }
}

std::vector<std::uint32_t> CausalityCheck::early_answers(const Schedule& schedule, const Roles& roles) const {
  std::vector<std::uint32_t> early;
  for (std::uint32_t p = 0; p < calls_.size(); ++p) {
    if (roles.is_worker(p)) continue;  // its tasks may be those of others
    for (const Call& call : calls_[p]) {
      if (roles.is_dispatcher(call.server) || roles.counts(call.server)) continue;
      const double answered_ns = schedule.finished_ns[call.answer], asked_ns = schedule.finished_ns[call.request];
      if (!is_asked_and_answered(call, schedule) || answered_ns < 0) continue;
      if (asked_ns < 0 || schedule.performed_by[call.request] != p || answered_ns >= asked_ns) continue;
      if (std::find(early.begin(), early.end(), call.server) == early.end()) early.push_back(call.server);
    }
  }
  std::sort(early.begin(), early.end());
  return early;
}

double CausalityCheck::shortest_ns(const Target& target, const Schedule& schedule) const {
  MessageCosts costs(history_, target);
  costs.move(target.machine_of);
  const std::vector<std::vector<std::uint32_t>> own_events = events_in_order(history_, schedule);
  double longest_ns = 0;
  for (std::uint32_t p = 0; p < calls_.size(); ++p) {
    double now_ns = 0;
    std::unordered_map<std::uint32_t, double> answered_ns;  // by SEND of the answer
    for (const std::uint32_t e : own_events[p]) {
      const HistoryEvent& event = history_.events[e];
      const CpuCost cost = costs.cpu(event, p);
      now_ns += static_cast<double>(cost.before_ns);
      if (const Call* call = call_of(p, e); call != nullptr && is_asked_and_answered(*call, schedule)) {
        const HistoryEvent& answer = history_.events[call->answer];
        answered_ns[call->answer] = now_ns + static_cast<double>(costs.delivery_ns(event, p, call->server) +
                                                                 costs.delivery_ns(answer, call->server, p));
      }
      if (const auto answer = answered_ns.find(schedule.cause[e]); answer != answered_ns.end()) {
        now_ns = std::max(now_ns, answer->second - 2 * kRounding_ns);
        answered_ns.erase(answer);
      }
      now_ns += static_cast<double>(cost.after_ns);
    }
    longest_ns = std::max(longest_ns, now_ns);
  }
  return longest_ns;
}

// Rules of roles and destinations may give either end to another process.
bool CausalityCheck::is_asked_and_answered(const Call& call, const Schedule& schedule) const {
  const std::uint32_t asked = history_.events[call.request].match;
  return schedule.performed_by[asked] == call.server && schedule.cause[asked] == call.request &&
         schedule.performed_by[call.answer] == call.server;
}

const CausalityCheck::Call* CausalityCheck::call_of(std::uint32_t client, std::uint32_t request) const {
  const auto found = std::lower_bound(calls_[client].begin(), calls_[client].end(), request,
                                      [](const Call& call, std::uint32_t wanted) { return call.request < wanted; });
  return found != calls_[client].end() && found->request == request ? &*found : nullptr;
}

}  // namespace dpm

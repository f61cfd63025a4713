#include "analysis/prediction/causality_check.hpp"

#include <algorithm>
#include <unordered_map>

#include "analysis/history/message_costs.hpp"

namespace dpm {
namespace {

constexpr double kRounding_ns = 1;  // of arrivals, which are whole

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
        conversation.calls.push_back({event.peer, conversation.asked, event.match, e});
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
      if (schedule.performed_by[call.answer] != call.server || answered_ns < 0) continue;
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
  double longest_ns = 0;
  for (std::uint32_t p = 0; p < calls_.size(); ++p) {
    double now_ns = 0;
    std::size_t next = 0;
    std::unordered_map<std::uint32_t, double> answered_ns;  // by RECEIVE
    bool own = true;
    for (std::uint32_t e = history_.first_event[p]; own && e < history_.first_event[p + 1]; ++e) {
      const HistoryEvent& event = history_.events[e];
      const bool given_up =
          event.kind() == HistoryKind::receive && event.match != kNoEvent && schedule.cause[e] == kNoEvent;
      own = schedule.performed_by[e] == p && !given_up;
      const CpuCost cost = costs.cpu(event, p);
      now_ns += static_cast<double>(cost.before_ns);
      if (next < calls_[p].size() && calls_[p][next].request == e) {
        const Call& call = calls_[p][next++];
        const HistoryEvent& answer = history_.events[call.answer];
        answered_ns[call.received] = now_ns + static_cast<double>(costs.delivery_ns(event, p, call.server) +
                                                                  costs.delivery_ns(answer, call.server, p));
      }
      if (const auto answer = answered_ns.find(e); answer != answered_ns.end()) {
        now_ns = std::max(now_ns, answer->second - 2 * kRounding_ns);
        answered_ns.erase(answer);
      }
      now_ns += static_cast<double>(cost.after_ns);
    }
    if (own) longest_ns = std::max(longest_ns, now_ns);
  }
  return longest_ns;
}

}  // namespace dpm

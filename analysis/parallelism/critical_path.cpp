#include "analysis/parallelism/critical_path.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "analysis/history/message_costs.hpp"

namespace dpm {
namespace {

std::uint32_t last_event(const Schedule& schedule) {
  std::uint32_t last = kNoEvent;
  for (std::uint32_t e = 0; e < schedule.finished_ns.size(); ++e) {
    if (schedule.finished_ns[e] >= 0 && (last == kNoEvent || schedule.finished_ns[e] > schedule.finished_ns[last]))
      last = e;
  }
  return last;
}

template <typename Share>
void greatest_first(std::vector<Share>& shares) {
  std::stable_sort(shares.begin(), shares.end(),
                   [](const Share& a, const Share& b) { return a.fraction > b.fraction; });
}

}  // namespace

CriticalPath critical_path(const History& history, const Target& target, const Schedule& schedule) {
  CriticalPath path;
  std::uint32_t at = last_event(schedule);
  if (at == kNoEvent) return path;
  const double t_max_ns = schedule.finished_ns[at];
  path.t_max_s = t_max_ns * 1e-9;

  MessageCosts costs(history, target);
  std::vector<ProcessShare> processes(history.process_count());
  std::map<std::pair<std::uint32_t, std::uint32_t>, MessageShare> messages;
  while (at != kNoEvent) {
    path.events.push_back(at);
    const std::uint32_t p = schedule.performed_by[at], cause = schedule.cause[at];
    const std::uint32_t source = history.owner_of(at).value;
    const std::uint32_t partner = cause == kNoEvent ? history.events[at].peer : schedule.performed_by[cause];
    const CpuCost cost = costs.cpu(history.events[at], source, p, partner);
    const bool by_message = schedule.waited[at] && cause != kNoEvent;
    const std::uint32_t before = by_message ? cause : schedule.previous[at];
    const double began_ns = before == kNoEvent ? 0 : schedule.finished_ns[before];
    const double took_ns = schedule.finished_ns[at] - began_ns;
    double message_ns = 0, cpu_ns = 0;
    if (by_message) {
      cpu_ns = std::min(static_cast<double>(cost.after_ns), took_ns);
      message_ns = took_ns - cpu_ns;
      if (!sends_message(history.events[cause].kind())) {
        cpu_ns = took_ns;  // a beginning, or the end of a wait: no message was under way
      } else if (history.events[cause].match == kNoEvent) {
        path.outside_s += message_ns * 1e-9;
      } else {
        MessageShare& share = messages[{schedule.performed_by[cause], p}];
        ++share.messages;
        share.delay_s += message_ns * 1e-9;
      }
    } else {
      cpu_ns = std::min(static_cast<double>(cost.before_ns + cost.after_ns), took_ns);
      processes[p].sharing_s += (took_ns - cpu_ns) * 1e-9;
    }
    processes[p].cpu_s += cpu_ns * 1e-9;
    at = before;
  }
  std::reverse(path.events.begin(), path.events.end());

  const auto fraction = [&](double seconds) { return path.t_max_s > 0 ? seconds / path.t_max_s : 0; };
  for (std::uint32_t p = 0; p < processes.size(); ++p) {
    ProcessShare& share = processes[p];
    share.process = ProcessId{p};
    share.fraction = fraction(share.cpu_s + share.sharing_s);
    if (share.fraction > 0) path.processes.push_back(share);
  }
  for (auto& [pair, share] : messages) {
    share.sender = ProcessId{pair.first};
    share.receiver = ProcessId{pair.second};
    share.fraction = fraction(share.delay_s);
    path.messages.push_back(share);
  }
  greatest_first(path.processes);
  greatest_first(path.messages);
  return path;
}

}  // namespace dpm

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

// Walks back from the last event of a schedule, and adds up what each step of the path took.
class Walk {
 public:
  Walk(const History& history, const Target& target, const Schedule& schedule, CriticalPath& path)
      : history_(history),
        schedule_(schedule),
        costs_(history, target),
        path_(path),
        processes_(history.process_count()) {}

  void run(std::uint32_t last) {
    for (std::uint32_t at = last; at != kNoEvent;) {
      path_.events.push_back(at);
      at = step(at);
    }
    std::reverse(path_.events.begin(), path_.events.end());
    add_shares();
  }

 private:
  // Returns the event before this one on the path.
  std::uint32_t step(std::uint32_t at) {
    const std::uint32_t p = schedule_.performed_by[at], cause = schedule_.cause[at];
    const std::uint32_t source = history_.owner_of(at).value;
    const std::uint32_t partner = cause == kNoEvent ? history_.events[at].peer : schedule_.performed_by[cause];
    const CpuCost cost = costs_.cpu(history_.events[at], source, p, partner);
    const bool by_message = schedule_.waited[at] && cause != kNoEvent;
    const std::uint32_t before = by_message ? cause : schedule_.previous[at];
    const double began_ns = before == kNoEvent ? 0 : schedule_.finished_ns[before];
    const double took_ns = schedule_.finished_ns[at] - began_ns;
    double cpu_ns = 0;
    if (by_message) {
      cpu_ns = std::min(static_cast<double>(cost.after_ns), took_ns);
      if (sends_message(history_.events[cause].kind())) {
        add_message(cause, p, took_ns - cpu_ns);
      } else {
        cpu_ns = took_ns;  // a beginning, or the end of a wait: no message was on its way
      }
    } else {
      cpu_ns = std::min(static_cast<double>(cost.before_ns + cost.after_ns), took_ns);
      processes_[p].sharing_s += (took_ns - cpu_ns) * 1e-9;
    }
    processes_[p].cpu_s += cpu_ns * 1e-9;
    return before;
  }

  void add_message(std::uint32_t send, std::uint32_t receiver, double message_ns) {
    if (history_.events[send].match == kNoEvent) {
      path_.outside_s += message_ns * 1e-9;
      return;
    }
    MessageShare& share = messages_[{schedule_.performed_by[send], receiver}];
    ++share.messages;
    share.delay_s += message_ns * 1e-9;
  }

  void add_shares() {
    const auto fraction = [&](double seconds) { return path_.t_max_s > 0 ? seconds / path_.t_max_s : 0; };
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      ProcessShare& share = processes_[p];
      share.process = ProcessId{p};
      share.fraction = fraction(share.cpu_s + share.sharing_s);
      if (share.fraction > 0) path_.processes.push_back(share);
    }
    for (auto& [pair, share] : messages_) {
      share.sender = ProcessId{pair.first};
      share.receiver = ProcessId{pair.second};
      share.fraction = fraction(share.delay_s);
      path_.messages.push_back(share);
    }
    greatest_first(path_.processes);
    greatest_first(path_.messages);
  }

  const History& history_;
  const Schedule& schedule_;
  MessageCosts costs_;
  CriticalPath& path_;
  std::vector<ProcessShare> processes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, MessageShare> messages_;
};

}  // namespace

CriticalPath critical_path(const History& history, const Target& target, const Schedule& schedule) {
  CriticalPath path;
  const std::uint32_t last = last_event(schedule);
  if (last == kNoEvent) return path;
  path.t_max_s = schedule.finished_ns[last] * 1e-9;
  Walk(history, target, schedule, path).run(last);
  return path;
}

}  // namespace dpm

#include "tests/analysis/parallelism/literal_appendix_a.hpp"

#include <algorithm>
#include <map>
#include <vector>

#include "model/check.hpp"

namespace dpm::test {
namespace {

// New weights are in parts of a nanosecond, so that a share of several cores is a whole number of them. The thesis has
// one core everywhere.
constexpr std::int64_t kParts = 12;

struct Node {
  bool is_receive = false;  // RECEIVE, or the beginning of a created process
  bool is_send = false;
  std::int64_t weight = 0;  // connects[1]: to the next node of the process
  std::int64_t newWeight = 0;
  std::int64_t message_weight = 0;  // connects[2]
  Node* receive = nullptr;          // connects[2].node
  Node* sender = nullptr;
  std::uint32_t receiver = 0;  // process
  bool marked = false;
};

struct Process {
  std::vector<Node> nodes;
  std::size_t base = 0, curr = 0;
  bool running = false, done = false;
  std::uint32_t machine = 0;
  std::int64_t cores = 1;
};

struct Delay {
  std::int64_t delay = 0;
  Node* node = nullptr;
  std::pair<std::uint32_t, std::uint32_t> pair;
};

class Appendix {
 public:
  Appendix(const History& history, const Target& target) : processes_(history.process_count()) {
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      processes_[p].machine = target.machine_of[p].value;
      processes_[p].cores = target.machines[processes_[p].machine].cores;
      processes_[p].nodes.resize(history.of({p}).size() + 1);
    }
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      const auto events = history.of({p});
      for (std::size_t i = 0; i < events.size(); ++i) {
        Node& node = processes_[p].nodes[i + 1];
        processes_[p].nodes[i].weight = static_cast<std::int64_t>(events[i].cpu_ns);
        node.is_receive = events[i].kind() == HistoryKind::receive || events[i].kind() == HistoryKind::start;
        if (events[i].match == kNoEvent) node.marked = true;
        const bool sends = events[i].kind() == HistoryKind::send || events[i].kind() == HistoryKind::create;
        if (!sends || events[i].match == kNoEvent) continue;
        node.is_send = true;
        node.receiver = events[i].peer;
        node.receive = &processes_[node.receiver].nodes[events[i].match - history.first_event[node.receiver] + 1];
        node.receive->sender = &node;
        if (events[i].kind() == HistoryKind::create) continue;
        const auto& delays = target.delays.between(target.machines[target.machine_of[p].value].name,
                                                   target.machines[target.machine_of[events[i].peer].value].name);
        node.message_weight = DelayModel::delivery(delays, events[i].length_bytes).ns;
      }
    }
  }

  std::int64_t run() {
    ReweightInit();
    while (!Completed()) ReweightGraph();
    return longest_path();
  }

 private:
  Node& base(Process& p) { return p.nodes[p.base]; }
  bool at_event(const Process& p) const { return p.base == p.curr && p.base < p.nodes.size(); }

  void ReweightInit() {
    for (Process& p : processes_) {
      p.running = p.nodes.size() > 1;
      if (p.running) ++runables_[p.machine];
      if (!p.running) p.done = true;
    }
  }

  bool Completed() const {
    return std::all_of(processes_.begin(), processes_.end(), [](const Process& p) { return p.done; });
  }

  void ReweightGraph() {
    for (std::size_t i = 0; i < delays_.size();) {
      if (delays_[i].delay <= 0) {
        delays_[i].node->receive->marked = true;
        delays_.erase(delays_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        ++i;
      }
    }
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      Process& process = processes_[p];
      if (!at_event(process) || !base(process).is_send) continue;
      std::int64_t delay = base(process).message_weight;
      for (const Delay& other : delays_) {
        if (other.pair == std::make_pair(p, base(process).receiver)) delay = std::max(delay, other.delay);
      }
      if (delay > 0) {
        delays_.push_back({delay, &base(process), {p, base(process).receiver}});
      } else {
        base(process).receive->marked = true;
      }
    }
    for (Process& p : processes_) {
      if (!at_event(p)) continue;
      if (base(p).is_receive && base(p).marked && !p.running) {
        ++runables_[p.machine];
        p.running = true;
      }
      if (p.running) ++p.curr;
    }
    const std::int64_t decr = FindMinWeight();
    for (Process& p : processes_) {
      if (!p.running) continue;
      base(p).weight -= decr;
      base(p).newWeight += decr * std::max(kParts, runables_[p.machine] * kParts / p.cores);
    }
    for (Delay& delay : delays_) delay.delay -= decr;
    for (Process& p : processes_) {
      if (!p.running || base(p).weight != 0) continue;
      ++p.base;
      const bool last = p.base + 1 == p.nodes.size();
      if (last || (base(p).is_receive && !base(p).marked)) {
        --runables_[p.machine];
        p.running = false;
        p.done = last;
        if (last) p.curr = p.nodes.size();  // nothing begins here
      }
    }
  }

  std::int64_t FindMinWeight() {
    std::int64_t least = -1;
    const auto consider = [&](std::int64_t weight) { least = least < 0 ? weight : std::min(least, weight); };
    for (Process& p : processes_) {
      if (p.running) consider(base(p).weight);
    }
    for (const Delay& delay : delays_) consider(delay.delay);
    return std::max<std::int64_t>(least, 0);
  }

  // By repeated relaxation; a message arrives no earlier than the one before it of the same pair.
  std::int64_t longest_path() {
    std::map<const Node*, std::int64_t> length;
    bool changed = true;
    while (changed) {
      changed = false;
      const auto at_least = [&](const Node* node, std::int64_t value) {
        auto [entry, is_new] = length.try_emplace(node, 0);
        if (value > entry->second) entry->second = value, changed = true;
      };
      for (std::uint32_t p = 0; p < processes_.size(); ++p) {
        std::map<std::uint32_t, std::int64_t> last_arrival;
        auto& nodes = processes_[p].nodes;
        for (std::size_t i = 0; i < nodes.size(); ++i) {
          if (i + 1 < nodes.size()) at_least(&nodes[i + 1], length[&nodes[i]] + nodes[i].newWeight);
          if (!nodes[i].is_send) continue;
          std::int64_t arrival = length[&nodes[i]] + nodes[i].message_weight * kParts;
          if (nodes[i].message_weight > 0) {
            std::int64_t& last = last_arrival[nodes[i].receiver];
            arrival = last = std::max(last, arrival);
          }
          at_least(nodes[i].receive, arrival);
        }
      }
    }
    std::int64_t longest = 0;
    for (const auto& [node, value] : length) longest = std::max(longest, value);
    return longest / kParts;
  }

  std::vector<Process> processes_;
  std::vector<Delay> delays_;
  std::map<std::uint32_t, std::int64_t> runables_;
};

}  // namespace

std::int64_t literal_appendix_a_ns(const History& history, const Target& target) {
  return Appendix(history, target).run();
}

}  // namespace dpm::test

#include "analysis/prediction/gains.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "analysis/history/message_costs.hpp"
#include "analysis/prediction/what_if.hpp"

namespace dpm {
namespace {

using Names = std::pair<std::string, std::string>;

Names ordered(const std::string& a, const std::string& b) { return a < b ? Names{a, b} : Names{b, a}; }

class GainFinder {
 public:
  GainFinder(const History& history, const Target& target, const Roles& roles, Order order, const GainOptions& options)
      : history_(history), target_(target), roles_(roles), order_(order), options_(options) {}

  Gains find() {
    const Replayed now = replay(target_);
    found_.elapsed_s = now.elapsed_s;
    found_.P = now.P;
    if (now.elapsed_s <= 0 || now.P <= 0) return found_;
    count_use();
    for (std::size_t kind = 0; kind < used_.size(); ++kind) try_all(static_cast<Gain::Of>(kind), now);
    std::stable_sort(found_.gains.begin(), found_.gains.end(), [](const Gain& a, const Gain& b) {
      return std::pair(a.reorders, a.elapsed) < std::pair(b.reorders, b.elapsed);
    });
    return std::move(found_);
  }

 private:
  struct Replayed {
    double elapsed_s = 0, P = 0;
  };

  Replayed replay(const Target& target) const {
    const ReplayResult run = Replay(history_, target, roles_).run(order_, target.machine_of);
    if (run.not_performed > 0 || run.elapsed_ns <= 0) return {};
    return {run.elapsed_ns * 1e-9, static_cast<double>(run.cpu_ns) / run.elapsed_ns};
  }

  // Threads count for their process, as in what_if.hpp.
  const std::string& name(std::uint32_t process) const {
    const auto& infos = history_.info.processes;
    const std::uint32_t group = infos[process].group.value;
    return infos[group < infos.size() ? group : process].name;
  }

  std::map<Names, double>& used(Gain::Of kind) { return used_[static_cast<std::size_t>(kind)]; }

  void count_use() {
    MessageCosts costs(history_, target_);
    for (std::uint32_t p = 0; p < history_.process_count(); ++p) {
      double cpu_ns = 0;
      for (const HistoryEvent& event : history_.of(ProcessId{p})) {
        const CpuCost cost = costs.cpu(event, p);
        cpu_ns += static_cast<double>(cost.before_ns + cost.after_ns);
        if (event.kind() == HistoryKind::send && event.match != kNoEvent) count_message(costs, event, p);
      }
      if (cpu_ns > 0) used(Gain::Of::process)[{name(p), ""}] += cpu_ns * 1e-9;
    }
  }

  void count_message(MessageCosts& costs, const HistoryEvent& send, std::uint32_t sender) {
    const double delay_s = static_cast<double>(costs.delivery_ns(send, sender, send.peer)) * 1e-9;
    if (delay_s <= 0) return;
    if (sender != send.peer) used(Gain::Of::link)[ordered(name(sender), name(send.peer))] += delay_s;
    const MachineId from = target_.machine_of[sender], to = target_.machine_of[send.peer];
    if (from == to || from.is_none() || to.is_none()) return;
    used(Gain::Of::machines)[ordered(target_.machines[from.value].name, target_.machines[to.value].name)] += delay_s;
  }

  void try_all(Gain::Of kind, const Replayed& now) {
    std::vector<std::pair<Names, double>> rows(used(kind).begin(), used(kind).end());
    std::stable_sort(rows.begin(), rows.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
    if (rows.size() > options_.most_of_a_kind) {
      found_.left_out += rows.size() - options_.most_of_a_kind;
      rows.resize(options_.most_of_a_kind);
    }
    for (const auto& [names, used_s] : rows) {
      Target better = target_;
      improve(better, kind, names);
      const Replayed then = replay(better);
      if (then.elapsed_s <= 0) continue;
      Gain gain{kind, names.first, names.second, used_s, then.elapsed_s / now.elapsed_s - 1, then.P / now.P - 1};
      // A process that shares its machine saves more time than its own; more than twice as much was never seen.
      gain.reorders = std::abs(gain.elapsed) > 2 * options_.gain * used_s / now.elapsed_s + 1e-9;
      found_.gains.push_back(std::move(gain));
    }
  }

  void improve(Target& target, Gain::Of kind, const Names& names) const {
    const double factor = 1 - options_.gain;
    switch (kind) {
      case Gain::Of::process:
        target.process_speed.resize(history_.process_count(), 1);
        for (std::uint32_t p = 0; p < history_.process_count(); ++p)
          if (name(p) == names.first) target.process_speed[p] /= factor;
        return;
      case Gain::Of::link:
        for (std::uint32_t p = 0; p < history_.process_count(); ++p) {
          if (name(p) != names.first) continue;
          for (std::uint32_t q = 0; q < history_.process_count(); ++q)
            if (name(q) == names.second && p != q) target.links.push_back({p, q, factor});
        }
        return;
      case Gain::Of::machines:
        scale_delays(target.delays, names.first, names.second, factor);
        return;
    }
  }

  const History& history_;
  const Target& target_;
  const Roles& roles_;
  const Order order_;
  const GainOptions& options_;
  std::array<std::map<Names, double>, 3> used_;  // seconds by Gain::Of
  Gains found_;
};

}  // namespace

Gains find_gains(const History& history, const Target& target, const Roles& roles, Order order,
                 const GainOptions& options) {
  return GainFinder(history, target, roles, order, options).find();
}

}  // namespace dpm

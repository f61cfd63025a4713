#include "analysis/parallelism/efficiency.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "analysis/history/message_costs.hpp"
#include "analysis/history/shared_machine.hpp"

namespace dpm {
namespace {

constexpr double kRounding = 1e-9;  // of a factor, and of seconds

class EfficiencyLadder {
 public:
  EfficiencyLadder(const History& history, const Target& target, const Parallelism& parallelism, const ThirdStep& third,
                   bool is_as_traced)
      : history_(history),
        target_(target),
        parallelism_(parallelism),
        third_(third),
        has_run_(is_as_traced && parallelism.run.elapsed_s > 0) {}

  Efficiency find() {
    count_work();
    const double busiest_s = work_s_[busiest_], no_delay_s = parallelism_.no_delay.t_max_s;
    const double delay_s = parallelism_.delay.t_max_s, replayed_s = parallelism_.delay_cpu.t_max_s;
    found_.elapsed_s = has_run_ ? parallelism_.run.elapsed_s : replayed_s;
    found_.T_s = parallelism_.no_delay.T_s;
    left_ = found_.processors;
    add(EfficiencyFactor::load_balance, found_.T_s / found_.processors, busiest_s);
    add(EfficiencyFactor::serialisation, busiest_s, no_delay_s);
    add(EfficiencyFactor::transfer, no_delay_s, delay_s);
    add(EfficiencyFactor::sharing, delay_s, replayed_s);
    if (has_run_) add(EfficiencyFactor::unexplained, replayed_s, found_.elapsed_s);
    found_.P = found_.T_s / found_.elapsed_s;
    return std::move(found_);
  }

 private:
  // T_p of all processes.
  void count_work() {
    MessageCosts costs(history_, target_);
    work_s_.resize(history_.process_count());
    for (std::uint32_t p = 0; p < history_.process_count(); ++p) {
      if (history_.of(ProcessId{p}).empty()) continue;
      ++found_.processors;
      std::int64_t work_ns = 0;
      for (const HistoryEvent& event : history_.of(ProcessId{p})) {
        const CpuCost cost = costs.cpu(event, p);
        work_ns += cost.before_ns + cost.after_ns;
      }
      work_s_[p] = static_cast<double>(work_ns) * 1e-9;
      if (work_s_[p] > work_s_[busiest_]) busiest_ = p;
    }
  }

  void add(EfficiencyFactor factor, double of_s, double by_s) {
    EfficiencyStep step{factor, by_s > 0 ? of_s / by_s : 1, 0, {}, {}};
    step.P = left_ *= step.value;
    if (step.value < 1 - kRounding) step.blame = blame_of(factor);
    if (step.is_low()) step.mended_P = mended_P(factor);
    found_.steps.push_back(std::move(step));
  }

  std::optional<EfficiencyBlame> blame_of(EfficiencyFactor factor) const {
    switch (factor) {
      case EfficiencyFactor::load_balance:
        return EfficiencyBlame{ProcessId{busiest_}, {}, work_s_[busiest_]};
      case EfficiencyFactor::serialisation:
        return most_work_beside_the_busiest();
      case EfficiencyFactor::transfer:
        return slowest_messages();
      case EfficiencyFactor::sharing:
        return longest_wait_for_a_cpu();
      case EfficiencyFactor::unexplained:
        return longest_life_beyond_the_replay();
    }
    return std::nullopt;
  }

  std::optional<EfficiencyBlame> most_work_beside_the_busiest() const {
    EfficiencyBlame most{{}, {}, third_.path.outside_s};
    for (const ProcessShare& share : third_.path.processes)
      if (share.process.value != busiest_ && share.cpu_s > most.seconds) most = {share.process, {}, share.cpu_s};
    return some(most);
  }

  std::optional<EfficiencyBlame> slowest_messages() const {
    EfficiencyBlame most;
    for (const MessageShare& share : third_.path.messages)
      if (share.delay_s > most.seconds) most = {share.sender, share.receiver, share.delay_s};
    return some(most);
  }

  std::optional<EfficiencyBlame> longest_wait_for_a_cpu() const {
    EfficiencyBlame most;
    for (const ProcessShare& share : third_.path.processes)
      if (share.sharing_s > most.seconds) most = {share.process, {}, share.sharing_s};
    return some(most);
  }

  std::optional<EfficiencyBlame> longest_life_beyond_the_replay() const {
    EfficiencyBlame most;
    for (std::uint32_t p = 0; p < history_.process_count(); ++p) {
      const LocalSpan& span = history_.local_spans[p];
      if (span.first_event == kNoEvent) continue;
      const auto& finished_ns = third_.schedule.finished_ns;
      const double replayed_s = (finished_ns[history_.first_event[p + 1] - 1] - finished_ns[span.first_event]) * 1e-9;
      const double beyond_s = (history_.local_lifetimes[p].last - span.first).seconds() - replayed_s;
      if (beyond_s > most.seconds) most = {ProcessId{p}, {}, beyond_s};
    }
    return some(most);
  }

  static std::optional<EfficiencyBlame> some(const EfficiencyBlame& blame) {
    return blame.seconds > kRounding ? std::optional(blame) : std::nullopt;
  }

  // What the third step takes when it is mended, as a share of what it takes, is that of the run too.
  std::optional<double> mended_P(EfficiencyFactor factor) const {
    const double replayed_s = parallelism_.delay_cpu.t_max_s;
    const auto mended_s = factor == EfficiencyFactor::unexplained ? replayed_s : third_step_mended(factor);
    if (!mended_s || *mended_s <= 0) return std::nullopt;
    if (factor == EfficiencyFactor::unexplained) return found_.T_s / replayed_s;
    return found_.T_s / (found_.elapsed_s * *mended_s / replayed_s);
  }

  std::optional<double> third_step_mended(EfficiencyFactor factor) const {
    if (factor == EfficiencyFactor::sharing) return parallelism_.delay.t_max_s;
    if (factor == EfficiencyFactor::serialisation) return without_waits_s();
    Target target = target_;
    if (factor == EfficiencyFactor::transfer) take_no_time(target.delays);
    if (factor == EfficiencyFactor::load_balance) even_out(target);
    const ReplayResult replayed = Replay(history_, target).run(Order::recorded, target.machine_of);
    return replayed.not_performed > 0 ? std::nullopt : std::optional(replayed.elapsed_ns * 1e-9);
  }

  // The CPU time that messages cost stays.
  static void take_no_time(DelayModel& delays) {
    delays.local.delivery_s = delays.remote.delivery_s = {};
    for (PairClass& pair : delays.pairs) pair.delays.delivery_s = {};
  }

  void even_out(Target& target) const {
    const auto workers = std::count_if(work_s_.begin(), work_s_.end(), [](double work_s) { return work_s > 0; });
    const double mean_s = std::accumulate(work_s_.begin(), work_s_.end(), 0.0) / static_cast<double>(workers);
    target.process_speed.resize(work_s_.size(), 1);
    for (std::size_t p = 0; p < work_s_.size(); ++p)
      if (work_s_[p] > 0) target.process_speed[p] *= work_s_[p] / mean_s;
  }

  // The time until all work is done, if all of it can begin at once.
  double without_waits_s() const {
    std::vector<SharedMachine> machines(target_.machines.size());
    for (std::size_t m = 0; m < machines.size(); ++m)
      machines[m].clear(target_.machines[m].cores, static_cast<double>(target_.time_slice.ns));
    for (std::uint32_t p = 0; p < work_s_.size(); ++p)
      if (work_s_[p] > 0) machines[target_.machine_of[p].value].add(0, p, work_s_[p] * 1e9);
    double last_ns = 0;
    for (SharedMachine& machine : machines) {
      while (!machine.is_idle()) {
        const double now_ns = machine.next_completion_ns();
        machine.advance_to_completion(now_ns);
        machine.finish();
        last_ns = std::max(last_ns, now_ns);
      }
    }
    return last_ns * 1e-9;
  }

  const History& history_;
  const Target& target_;
  const Parallelism& parallelism_;
  const ThirdStep& third_;
  const bool has_run_;
  std::vector<double> work_s_;  // by process
  std::uint32_t busiest_ = 0;
  double left_ = 0;  // of the processors
  Efficiency found_;
};

}  // namespace

Efficiency find_efficiency(const History& history, const Target& target, const Parallelism& parallelism,
                           const ThirdStep& third, bool is_as_traced) {
  return EfficiencyLadder(history, target, parallelism, third, is_as_traced).find();
}

}  // namespace dpm

// The obvious simulator: steps from one happening to the next and recomputes everything. What SimGrid, the calendar and
// the kernel calls do together must be the same to the nanosecond or two by which rounding differs.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "model/delay_model.hpp"

namespace dpm::testing {

struct Step {
  enum class Kind { compute, send, receive } kind = Kind::compute;
  std::int64_t work_ns = 0;  // compute
  int to = 0;                // send
  std::uint32_t bytes = 0;   // send
};

struct SlowMachine {
  double speed = 1;
  std::uint16_t cores = 1;
};

struct Script {
  int machine = 0;
  std::vector<Step> steps;
};

class SlowSimulator {
 public:
  struct Process {
    Script script;
    std::size_t next = 0;
    enum class State { ready, computing, waiting, ended } state = State::ready;
    long double left_ns = 0;
    std::deque<int> queue;             // senders, in order of arrival
    std::vector<int> received_from;    // the outcome
    long double last_activity_ns = 0;  // the outcome
  };

  SlowSimulator(std::vector<SlowMachine> machines, const DelayModel& delays, const std::vector<Script>& scripts)
      : machines_(std::move(machines)), delays_(delays) {
    for (const Script& script : scripts) processes_.emplace_back().script = script;
  }

  const std::vector<Process>& run() {
    for (;;) {
      for (auto& process : processes_)
        while (process.state == Process::State::ready) step(process);
      const long double next = next_time();
      if (next < 0) return processes_;
      advance_to(next);
    }
  }

 private:
  struct Arrival {
    std::int64_t at_ns;
    int from;
    std::uint64_t order;
    int to;
    bool operator<(const Arrival& other) const {
      return std::tie(at_ns, from, order) < std::tie(other.at_ns, other.from, other.order);
    }
  };

  int index_of(const Process& process) const { return static_cast<int>(&process - processes_.data()); }

  void step(Process& process) {
    process.last_activity_ns = now_ns_;
    if (process.next == process.script.steps.size()) {
      process.state = Process::State::ended;
      return;
    }
    const Step& step = process.script.steps[process.next];
    if (step.kind == Step::Kind::receive && process.queue.empty()) {
      process.state = Process::State::waiting;
      return;
    }
    ++process.next;
    if (step.kind == Step::Kind::compute) {
      process.left_ns = static_cast<long double>(std::llround(static_cast<double>(step.work_ns) / speed_of(process)));
      if (process.left_ns > 0) process.state = Process::State::computing;
    } else if (step.kind == Step::Kind::send) {
      const bool local = process.script.machine == processes_[static_cast<std::size_t>(step.to)].script.machine;
      std::int64_t& last = last_arrival_[{index_of(process), step.to}];
      last = std::max<std::int64_t>(
          last, std::llround(now_ns_) + DelayModel::delivery(local ? delays_.local : delays_.remote, step.bytes).ns);
      arrivals_.push_back({last, index_of(process), next_order_++, step.to});
    } else {
      process.received_from.push_back(process.queue.front());
      process.queue.pop_front();
    }
  }

  const SlowMachine& machine_of(const Process& process) const {
    return machines_[static_cast<std::size_t>(process.script.machine)];
  }
  double speed_of(const Process& process) const { return machine_of(process).speed; }

  // How many times as long as alone.
  long double slowdown_of(const Process& process) const {
    const auto computing =
        static_cast<long double>(std::count_if(processes_.begin(), processes_.end(), [&](const Process& other) {
          return other.script.machine == process.script.machine && other.state == Process::State::computing;
        }));
    return std::max(1.0L, computing / machine_of(process).cores);
  }

  long double next_time() const {
    long double next = -1;
    const auto consider = [&](long double at) { next = next < 0 ? at : std::min(next, at); };
    for (const auto& arrival : arrivals_) consider(std::max(static_cast<long double>(arrival.at_ns), now_ns_));
    for (const auto& process : processes_)
      if (process.state == Process::State::computing) consider(now_ns_ + process.left_ns * slowdown_of(process));
    return next;
  }

  void advance_to(long double next) {
    constexpr long double kNothingNs = 1e-3L;
    std::vector<long double> slowdowns;
    for (const auto& process : processes_) slowdowns.push_back(slowdown_of(process));
    for (std::size_t i = 0; i < processes_.size(); ++i)
      if (processes_[i].state == Process::State::computing) processes_[i].left_ns -= (next - now_ns_) / slowdowns[i];
    now_ns_ = next;
    std::sort(arrivals_.begin(), arrivals_.end());
    while (!arrivals_.empty() && static_cast<long double>(arrivals_.front().at_ns) <= now_ns_) {
      Process& to = processes_[static_cast<std::size_t>(arrivals_.front().to)];
      to.queue.push_back(arrivals_.front().from);
      if (to.state == Process::State::waiting) to.state = Process::State::ready;
      arrivals_.erase(arrivals_.begin());
    }
    for (auto& process : processes_)
      if (process.state == Process::State::computing && process.left_ns < kNothingNs)
        process.state = Process::State::ready;
  }

  std::vector<SlowMachine> machines_;
  const DelayModel& delays_;
  std::vector<Process> processes_;
  std::vector<Arrival> arrivals_;
  std::map<std::pair<int, int>, std::int64_t> last_arrival_;
  std::uint64_t next_order_ = 0;
  long double now_ns_ = 0;
};

}  // namespace dpm::testing

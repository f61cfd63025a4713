#include "tests/support/obvious_simulation.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "model/whole_ns.hpp"

namespace dpm::test {
namespace {

constexpr double kNothingLeft_ns = 1e-4;  // rounding errors of doubles; times are whole nanoseconds

struct Queued {
  std::int64_t arrival_ns;
  std::uint32_t order;
  ObviousMessage message;
};

enum class Doing { not_created, steps, waiting, receiving, ended };

struct Process {
  Doing doing = Doing::steps;
  ObviousReaction reaction;
  std::size_t next_step = 0;
  bool charged = false;  // the CPU charge of the next step has been used
  double left_ns = 0;
  std::int64_t cpu_ns = 0;
  std::vector<Queued> queue;  // also what is still on its way
  ObviousMessage receiving;
  std::uint32_t sent = 0;
  double waits_until_ns = -1;
};

class Simulation {
 public:
  Simulation(const ObviousSystem& system, const std::vector<MachineId>& machine_of)
      : system_(system), machine_of_(machine_of), processes_(system.info.processes.size()) {}

  ObviousRun run() {
    run_.order.resize(processes_.size());
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      processes_[p].reaction = system_.program(p, nullptr);
      if (p < system_.created_later.size() && system_.created_later[p]) processes_[p].doing = Doing::not_created;
    }
    do {
      // First everything that happens at this instant without a message, then messages, one at a time.
      for (bool again = true; again;) {
        while (act_once()) {
        }
        again = receive_once() || end_wait_once();
      }
    } while (let_time_pass());
    for (const Process& process : processes_) run_.cpu_ns += process.cpu_ns;
    return run_;
  }

 private:
  bool computes(const Process& process) const { return process.left_ns > kNothingLeft_ns; }

  bool act_once() {
    bool acted = false;
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      while (!computes(processes_[p]) && act(p)) acted = true;
    }
    return acted;
  }

  bool act(std::uint32_t p) {
    Process& process = processes_[p];
    if (process.doing == Doing::receiving) {
      emit(p, EventType::receive, process.receiving, process.receiving.sender);
      run_.order[p].push_back(process.receiving.id);
      process.reaction = system_.program(p, &process.receiving);
      process.next_step = 0;
      process.doing = Doing::steps;
      return true;
    }
    if (process.doing != Doing::steps) return false;
    if (process.next_step == process.reaction.steps.size()) {
      run_.elapsed_ns = std::max(run_.elapsed_ns, now_ns_);
      process.doing = process.reaction.ends ? Doing::ended : Doing::waiting;
      const std::int64_t wait_ns = process.reaction.wait_ns;
      process.waits_until_ns = wait_ns < 0 ? -1 : static_cast<double>(whole_ns(now_ns_) + wait_ns);
      ObviousMessage none;
      emit(p, process.reaction.ends ? EventType::destroy_process : EventType::receive_call, none, p,
           process.reaction.ends ? 0 : process.reaction.wait_set);
      return true;
    }
    perform(p, process.reaction.steps[process.next_step]);
    return true;
  }

  void perform(std::uint32_t p, const ObviousStep& step) {
    Process& process = processes_[p];
    switch (step.kind) {
      case ObviousStep::Kind::compute:
        use_cpu(p, Duration{step.work_ns});
        break;
      case ObviousStep::Kind::create:
        emit(p, EventType::create_process, {}, step.to);
        processes_[step.to].doing = Doing::steps;
        break;
      case ObviousStep::Kind::send:
      case ObviousStep::Kind::move_data:
        if (!process.charged) {
          use_cpu(p, DelayModel::sender_cpu(delays(p, step.to), step.message.bytes));
          process.charged = true;
          return;
        }
        process.charged = false;
        send(p, step);
        break;
    }
    ++process.next_step;
  }

  void send(std::uint32_t p, const ObviousStep& step) {
    ObviousMessage message = step.message;
    message.sender = p;
    const bool data = step.kind == ObviousStep::Kind::move_data;
    emit(p, EventType::send, message, step.to, 0, data ? event_flags::kKernelMessage : std::uint16_t{0});
    std::int64_t arrival_ns = whole_ns(now_ns_) + DelayModel::delivery(delays(p, step.to), message.bytes).ns;
    std::int64_t& last_ns = last_arrival_[{p, step.to}];
    arrival_ns = last_ns = std::max(last_ns, arrival_ns);
    if (!data) processes_[step.to].queue.push_back({arrival_ns, processes_[p].sent++, message});
  }

  // The waiting process whose message is first by (arrival, sender, order) receives it.
  bool receive_once() {
    std::optional<std::tuple<std::int64_t, std::uint32_t, std::uint32_t>> best;
    std::uint32_t receiver = 0;
    std::size_t place = 0;
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      if (processes_[p].doing != Doing::waiting) continue;
      for (std::size_t i = 0; i < processes_[p].queue.size(); ++i) {
        const Queued& queued = processes_[p].queue[i];
        if (static_cast<double>(queued.arrival_ns) > now_ns_ + kNothingLeft_ns || !wanted(p, queued.message)) continue;
        const auto key = std::make_tuple(queued.arrival_ns, queued.message.sender, queued.order);
        if (!best || key < *best) {
          best = key;
          receiver = p;
          place = i;
        }
      }
    }
    if (!best) return false;
    Process& process = processes_[receiver];
    process.receiving = process.queue[place].message;
    process.queue.erase(process.queue.begin() + static_cast<std::ptrdiff_t>(place));
    process.doing = Doing::receiving;
    use_cpu(receiver, DelayModel::receiver_cpu(delays(process.receiving.sender, receiver), process.receiving.bytes));
    return true;
  }

  // A process for which no message has come in time goes on.
  bool end_wait_once() {
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      Process& process = processes_[p];
      const bool limited = process.doing == Doing::waiting && process.waits_until_ns >= 0;
      if (!limited || process.waits_until_ns > now_ns_ + kNothingLeft_ns) continue;
      ObviousMessage timer;
      timer.timer = true;
      process.reaction = system_.program(p, &timer);
      process.next_step = 0;
      process.doing = Doing::steps;
      return true;
    }
    return false;
  }

  bool wanted(std::uint32_t p, const ObviousMessage& message) const {
    if (!system_.order.empty()) {
      const std::size_t next = run_.order[p].size();
      return next < system_.order[p].size() && system_.order[p][next] == message.id;
    }
    const auto& set = system_.info.channel_sets[processes_[p].reaction.wait_set];
    return set.empty() || std::find(set.begin(), set.end(), ChannelId{message.channel}) != set.end();
  }

  bool let_time_pass() {
    std::vector<int> running(system_.info.machines.size());
    for (std::uint32_t p = 0; p < processes_.size(); ++p) running[machine_of_[p].value] += computes(processes_[p]);
    double until_ns = -1;
    const auto consider = [&](double then_ns) {
      if (until_ns < 0 || then_ns < until_ns) until_ns = then_ns;
    };
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      const Process& process = processes_[p];
      if (computes(process)) consider(now_ns_ + process.left_ns * slowdown(p, running));
      const bool may_end = process.doing == Doing::waiting && process.waits_until_ns > now_ns_ + kNothingLeft_ns;
      if (may_end) consider(process.waits_until_ns);
      for (const Queued& queued : process.queue) {
        const auto arrival_ns = static_cast<double>(queued.arrival_ns);
        if (arrival_ns > now_ns_ + kNothingLeft_ns) consider(arrival_ns);
      }
    }
    if (until_ns < 0) return false;
    for (std::uint32_t p = 0; p < processes_.size(); ++p) {
      Process& process = processes_[p];
      if (!computes(process)) continue;
      process.left_ns -= (until_ns - now_ns_) / slowdown(p, running);
      if (!computes(process)) process.left_ns = 0;
    }
    now_ns_ = until_ns;
    return true;
  }

  // How many processes share the core of a running one, on average.
  double slowdown(std::uint32_t p, const std::vector<int>& running) const {
    const MachineId machine = machine_of_[p];
    return std::max(1.0, static_cast<double>(running[machine.value]) / system_.info[machine].cores);
  }

  void use_cpu(std::uint32_t p, Duration work) {
    const double speed = system_.info[machine_of_[p]].speed;
    const std::int64_t ns = speed == 1 ? work.ns : std::llround(static_cast<double>(work.ns) / speed);
    processes_[p].left_ns = static_cast<double>(ns);
    processes_[p].cpu_ns += ns;
  }

  const DelayClass& delays(std::uint32_t sender, std::uint32_t receiver) const {
    return system_.info.delays.between(system_.info[machine_of_[sender]].name,
                                       system_.info[machine_of_[receiver]].name);
  }

  void emit(std::uint32_t p, EventType type, const ObviousMessage& message, std::uint32_t peer, std::uint32_t code = 0,
            std::uint16_t flags = 0) {
    Event event;
    event.type = type;
    event.local_time = {whole_ns(now_ns_)};
    event.proc_time_ns = static_cast<std::uint64_t>(processes_[p].cpu_ns);
    event.process = {p};
    event.machine = machine_of_[p];
    event.peer = {peer};
    event.code = code;
    event.flags = flags;
    if (type == EventType::send || type == EventType::receive) {
      event.channel = {message.channel};
      event.sequence = message.id;
      event.length_bytes = message.bytes;
    }
    run_.events.push_back(event);
  }

  const ObviousSystem& system_;
  const std::vector<MachineId>& machine_of_;
  std::vector<Process> processes_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> last_arrival_;
  double now_ns_ = 0;
  ObviousRun run_;
};

}  // namespace

ObviousRun simulate(const ObviousSystem& system, const std::vector<MachineId>& machine_of) {
  return Simulation(system, machine_of).run();
}

}  // namespace dpm::test

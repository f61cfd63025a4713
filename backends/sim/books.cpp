#include "backends/sim/books.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "backends/sim/semaphores.hpp"
#include "model/counted.hpp"
#include "model/link_complaints.hpp"

namespace dpm::sim {
namespace {

std::string processes_wired_to(const Process& process, const Wanted& wanted) {
  std::vector<std::string> names;
  for (const Channel* channel : wanted.channels)
    if (channel->wired_from != nullptr) names.push_back(channel->wired_from->name);
  if (wanted.channels.empty())
    for (const auto& [other, links] : process.wired)
      if (!links.from.is_none()) names.push_back(other->name);
  if (names.empty()) return wanted.channels.empty() ? "" : " over a link it created";
  return complaints::awaited_from(names);
}

std::vector<std::string> names_of(const std::vector<Process*>& processes) {
  std::vector<std::string> names;
  for (const Process* process : processes) names.push_back(process->name);
  return names;
}

// Of a service only if it waits in the middle of its work while nothing can happen any more.
bool is_blocked(const Process& process, bool deadlocked) {
  if (process.is_gone() || process.is_awaited) return false;
  if (!process.service) return true;
  return deadlocked && process.stopped == 0 &&
         (process.waiting == Waiting::for_reply || process.waiting == Waiting::for_unit ||
          (process.waiting == Waiting::for_message && !process.rests));
}

std::string what_it_does(const Process& process) {
  switch (process.life) {
    case Life::created:
      return process.is_awaited ? "was never created" : "was created and never started";
    case Life::ended:
      return "ended";
    case Life::destroyed:
      return fmt::format("was destroyed by '{}'", process.destroyed_by);
    case Life::lost:
      return fmt::format("was lost with machine '{}'", process.machine->name);
    case Life::off:
      return "was ended by a fault";
    case Life::alive:
      break;
  }
  if (process.stopped != 0) return "is stopped";
  switch (process.waiting) {
    case Waiting::for_message:
      return complaints::waits_for_message(process.awaited_kinds) + processes_wired_to(process, process.wanted);
    case Waiting::for_reply:
      return complaints::waits_for_reply(names_of(process.called), process.awaited_kinds);
    case Waiting::for_data:
      return "waits for data it moves";
    case Waiting::for_time:
      return "sleeps";
    case Waiting::for_unit:
      return fmt::format("waits for semaphore '{}'", process.awaited_semaphore->name);
    case Waiting::for_nothing:
      break;
  }
  return process.computing_ns != 0 ? "computes" : "runs";
}

ProcessTruth truth_of(const Process& process, TrueTime now) {
  const TrueTime end = process.is_gone() ? process.ended : now;
  const auto life_ns = static_cast<double>((end - process.started).ns);
  ProcessTruth truth;
  truth.name = process.name;
  truth.machine = process.machine->name;
  truth.in_computation = process.in_computation;
  truth.final_state = what_it_does(process);
  truth.cpu_time_ns = static_cast<std::uint64_t>(process.cpu_ns_now());
  truth.ready_time_ns = static_cast<std::uint64_t>(process.ready_ns_at(now));
  truth.messages_sent = process.messages_sent;
  truth.messages_received = process.messages_received;
  truth.queue_max = process.queue.max();
  truth.queue_area_ns = process.queue.area_ns();
  truth.queue_mean = life_ns > 0 ? truth.queue_area_ns / life_ns : 0;
  truth.started = process.started;
  truth.last_activity = process.last_activity;
  return truth;
}

}  // namespace

SimTruth Books::truth(const Ending& ending, Population& population, TrueTime now) const {
  SimTruth truth;
  truth.ended_by = ending.by;
  truth.deadlocked = ending.deadlocked;
  truth.at_limit = ending.at_limit;
  truth.simulated_end = now;
  truth.messages_delivered = messages_delivered_;
  truth.messages_dropped = messages_dropped_;
  truth.printed = lines_;
  std::unordered_map<const Machine*, std::int64_t> unfinished_ns;
  for (Process* process : population.application()) {
    unfinished_ns[process->machine] += process->cpu_ns_now() - process->cpu_ns;
    if (process->computing_ns != 0) process->last_activity = now;
    if (!process->is_gone()) process->queue.advance(now);
    const ProcessTruth& p = truth.processes.emplace_back(truth_of(*process, now));
    truth.makespan_all = std::max(truth.makespan_all, p.last_activity);
    if (p.in_computation) {
      truth.makespan = std::max(truth.makespan, p.last_activity);
      truth.total_cpu_ns += p.cpu_time_ns;
    }
    if (is_blocked(*process, ending.deadlocked))
      truth.blocked.push_back(fmt::format("process '{}' on machine '{}' {}", p.name, p.machine, p.final_state));
  }
  for (const Machine& machine : population.machines())
    truth.machines.push_back({machine.name, static_cast<std::uint64_t>(machine.used_ns + unfinished_ns[&machine])});
  return truth;
}

std::vector<std::string> Books::warnings() const {
  std::vector<std::string> warnings;
  for (const auto& [how, count] : drops_)
    warnings.push_back(
        fmt::format("{} dropped in transit {}", counted(count, "message") + (count == 1 ? " was" : " were"), how));
  return warnings;
}

}  // namespace dpm::sim

// How a run ends: the last meter messages, the truth, the books.
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "backends/sim/simulation.hpp"
#include "model/check.hpp"
#include "model/link_complaints.hpp"

#ifdef DPM_COVERAGE
extern "C" void __gcov_dump(void);
#endif

namespace dpm::sim {
namespace {

std::string processes_wired_to(const Process& process, Wanted wanted) {
  std::vector<std::string> names;
  for (const Channel* channel : wanted)
    if (channel->wired_from != nullptr) names.push_back(channel->wired_from->name);
  if (wanted.empty())
    for (const auto& [other, links] : process.wired)
      if (!links.from.is_none()) names.push_back(other->name);
  if (names.empty()) return wanted.empty() ? "" : " over a link it created";
  return complaints::awaited_from(names);
}

}  // namespace

void Simulation::on_standstill() {
  if (not_ended_ == 0) end({"every process ended", "", false});
  end({"deadlock", "", true});
}

void Simulation::end(const Ending& ending) {
  RunEnd last;
  last.truth = truth_now(ending);
  last.error = ending.error;
  if (ending.error.empty() && !ending.deadlocked && not_ended_ == 0) shut_down_services();
  for (Machine& machine : machines_) meter_.flush(machine);
  deliver_remaining_meter_messages();
  last.losses = losses();
  DPM_CHECK(last.losses.seen == output_.delivered_events() + last.losses.lost());
  output_.end(last);
#ifdef DPM_COVERAGE
  __gcov_dump();
#endif
  std::fflush(nullptr);  // what programs have printed
  ::_exit(0);
}

// Services end with the run: their DESTROYPROCESS carries the CPU time after their last message, so that a trace holds
// all of it.
void Simulation::shut_down_services() {
  for (Process* process : application_) {
    if (process->is_gone() || process->life == Life::created || !process->flags.has(EventType::destroy_process))
      continue;
    Event event;
    event.type = EventType::destroy_process;
    meter_.record(*process, event);
  }
}

void Simulation::deliver_remaining_meter_messages() {
  for (Process* filter : filters_) {
    if (filter->is_gone()) continue;
    for (Packet* packet : filter->queue.waiting) output_.append(packet->meter_events);
  }
  while (Packet* packet = calendar_.take_next()) {
    if (packet->meter_events.empty()) continue;
    if (packet->to->is_gone())
      drop(*packet, "to process '" + packet->to->name + "', which was gone");
    else
      output_.append(packet->meter_events);
  }
}

SimTruth Simulation::truth_now(const Ending& ending) {
  SimTruth truth;
  truth.ended_by = ending.by;
  truth.deadlocked = ending.deadlocked;
  truth.simulated_end = now();
  truth.messages_delivered = messages_delivered_;
  truth.messages_dropped = messages_dropped_;
  truth.printed = printed_;
  for (Process* process : application_) {
    if (process->computing_ns != 0) process->last_activity = now();
    if (!process->is_gone()) process->queue.advance(now());
    const TrueTime end = process->is_gone() ? process->ended : now();
    const auto life_ns = static_cast<double>((end - process->started).ns);

    ProcessTruth& p = truth.processes.emplace_back();
    p.name = process->name;
    p.machine = process->machine->name;
    p.in_computation = process->in_computation;
    p.final_state = what_it_does(*process);
    p.cpu_time_ns = static_cast<std::uint64_t>(process->cpu_ns_now());
    p.messages_sent = process->messages_sent;
    p.messages_received = process->messages_received;
    p.queue_max = process->queue.max();
    p.queue_area_ns = process->queue.area_ns();
    p.queue_mean = life_ns > 0 ? p.queue_area_ns / life_ns : 0;
    p.started = process->started;
    p.last_activity = process->last_activity;

    truth.makespan_all = std::max(truth.makespan_all, p.last_activity);
    if (p.in_computation) {
      truth.makespan = std::max(truth.makespan, p.last_activity);
      truth.total_cpu_ns += p.cpu_time_ns;
    }
    if (!process->is_gone() && !process->service)
      truth.blocked.push_back("process '" + p.name + "' on machine '" + p.machine + "' " + p.final_state);
  }
  return truth;
}

LossReport Simulation::losses() const {
  LossReport report;
  report.seen = meter_.seen();
  report.losses = meter_.losses();
  for (const auto& [about, count] : warnings_) report.warnings.push_back(std::to_string(count) + " " + about);
  return report;
}

std::string Simulation::what_it_does(const Process& process) const {
  switch (process.life) {
    case Life::created:
      return "was created and never started";
    case Life::ended:
      return "ended";
    case Life::destroyed:
      return "was destroyed by '" + process.destroyed_by + "'";
    case Life::lost:
      return "was lost with machine '" + process.machine->name + "'";
    case Life::alive:
      break;
  }
  if (process.stopped != 0) return "is stopped";
  switch (process.waiting) {
    case Waiting::for_message:
      return "waits for a message" + processes_wired_to(process, process.wanted);
    case Waiting::for_reply:
      return "waits for the reply of '" + process.called->name + "'";
    case Waiting::for_data:
      return "waits for data it moves";
    case Waiting::for_nothing:
      break;
  }
  return process.computing_ns != 0 ? "computes" : "runs";
}

}  // namespace dpm::sim

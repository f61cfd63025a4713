#include "backends/sim/simulation.hpp"

#include <cstdio>

#include "backends/sim/process_calls.hpp"
#include "backends/sim/system_programs.hpp"
#include "model/check.hpp"

namespace dpm::sim {

Simulation::Simulation(const Scenario& scenario, int output_fd, const std::string& log_path,
                       std::atomic<std::uint32_t>& running)
    : scenario_(scenario),
      running_(running),
      names_(initial_trace_info(scenario)),
      output_(output_fd, names_),
      engine_({[this] { on_alarm(); }, [this] { on_standstill(); }}, scenario.processes.size(), log_path),
      calendar_(engine_),
      network_(scenario.delays),
      meter_(scenario.meter, engine_, names_, [this](Machine& from, std::uint16_t filter, std::vector<Event>& events) {
        send_meter_message(from, filter, events);
      }) {}

void Simulation::run() {
  create_machines();
  create_system_processes();
  create_scenario_processes();
  schedule_faults_and_limit();
  if (not_ended_ == 0 && !scenario_.services_finish) end({"every process ended", "", false});
  engine_.run();
  fail("the simulation stopped without an end");
}

// ---- setting up

void Simulation::create_machines() {
  for (const auto& description : scenario_.machines) {
    Machine& machine = machines_.emplace_back();
    machine.name = description.name;
    machine.id = {static_cast<std::uint16_t>(machines_.size() - 1)};
    machine.host = engine_.add_host(description.name, description.cores);
    machine.speed = description.speed;
    machine.clock = description.clock;
    machine.meter_paths.resize(names_.info().filters.size());
    machine_order_.push_back(&machine);
    machine_by_name_[machine.name] = &machine;
  }
  engine_.hosts_are_complete();
}

void Simulation::create_system_processes() {
  const auto create = [&](const std::string& name, Machine& machine, SystemProgram program) -> Process& {
    Process& process = processes_.emplace_back();
    process.name = name;
    process.program_name = name;
    process.machine = &machine;
    process.system = true;
    process.service = true;
    process.in_computation = false;
    process.rank = next_system_rank_++;
    process.calls = std::make_unique<ProcessCalls>(*this, process);
    process.program = [this, program, &process](MessageCalls&) { program(*this, *process.calls); };
    return process;
  };
  Machine& first = machines_.front();
  process_manager_ = &create("process manager", first, process_manager_program);
  switchboard_ = &create("switchboard", first, switchboard_program);
  for (Machine& machine : machines_) machine.kernel = &create("kernel of " + machine.name, machine, kernel_program);
  for (std::size_t i = 0; i < names_.info().filters.size(); ++i) {
    const std::string name = scenario_.filters.empty() ? "" : scenario_.filters[i].machine;
    Machine& machine = name.empty() ? first : *machine_by_name_.at(name);
    filters_.push_back(&create("filter " + names_.info().filters[i], machine, filter_program));
  }
}

void Simulation::create_scenario_processes() {
  for (const auto& description : scenario_.processes) {
    Process& process = create_process(description.name, description.program_name, description.program,
                                      *find_machine(description.machine));
    process.in_computation = description.in_computation;
    process.service = description.service;
    process.flags = description.flags;
    process.filter = filter_index(names_.info(), description.filter);
    names_.already_named(process, {static_cast<std::uint32_t>(application_.size() - 1)});
    if (process.service) --not_ended_;
    give_standard_links(process);
  }
  std::uint32_t next_channel = 0;
  for (std::size_t i = 0; i < scenario_.processes.size(); ++i) {
    Process& from = *application_[i];
    for (const auto& name : scenario_.processes[i].links) {
      Process& to = *find_process(name);
      Channel& channel = create_channel(to);
      channel.wired_from = &from;
      names_.already_named(channel, {next_channel++});
      from.wired[&to].to = from.links.insert({&channel});
      to.wired[&from].from = channel.owners_index;
    }
  }
  for (std::size_t i = 0; i < scenario_.processes.size(); ++i) start(*application_[i], nullptr);
}

void Simulation::schedule_faults_and_limit() {
  for (const auto& fault : scenario_.faults) at({fault.at.ns}, [this, &fault] { apply(fault); });
  if (scenario_.time_limit.ns > 0) {
    at({scenario_.time_limit.ns}, [this] {
      char text[64];
      std::snprintf(text, sizeof text, "the time limit of %g s", scenario_.time_limit.seconds());
      end({text, "", false});
    });
  }
}

// ---- processes

Process* Simulation::find_process(const std::string& name) {
  const auto found = process_by_name_.find(name);
  return found == process_by_name_.end() ? nullptr : found->second;
}

Machine* Simulation::find_machine(const std::string& name) {
  const auto found = machine_by_name_.find(name);
  return found == machine_by_name_.end() ? nullptr : found->second;
}

std::vector<std::string> Simulation::process_names() const {
  std::vector<std::string> names;
  for (const Process* process : application_) names.push_back(process->name);
  return names;
}

Process& Simulation::create_process(const std::string& name, const std::string& program_name, Program program,
                                    Machine& machine) {
  Process& process = processes_.emplace_back();
  process.name = name;
  process.program_name = program_name;
  process.program = std::move(program);
  process.machine = &machine;
  process.calls = std::make_unique<ProcessCalls>(*this, process);
  process.rank = static_cast<std::uint32_t>(application_.size() + 1);  // 0 is for faults, which come first
  process.started = now();
  application_.push_back(&process);
  process_by_name_[name] = &process;
  ++not_ended_;
  return process;
}

void Simulation::give_standard_links(Process& process) {
  process.standard_links = {process.links.insert({&channel_to(*switchboard_)}),
                            process.links.insert({&channel_to(*process_manager_)}),
                            process.links.insert({&channel_to(*process.machine->kernel)})};
}

Channel& Simulation::channel_to(Process& system_process) {
  if (system_process.front_door == nullptr) system_process.front_door = &create_channel(system_process);
  return *system_process.front_door;
}

Channel& Simulation::create_channel(Process& owner) {
  Channel& channel = channels_.emplace_back();
  channel.owner = &owner;
  channel.owners_index = owner.links.insert({&channel});
  return channel;
}

void Simulation::start(Process& process, Process* who_asked) {
  DPM_CHECK(!process.actor && process.life == Life::created);
  process.life = Life::alive;
  process.started = process.last_activity = now();
  process.queue.advance(now());
  process.started_by = who_asked;
  if (process.stopped == 0) set_runnable(process, true);
  process.actor = engine_.create_actor();
  process.actor->start(
      process.name, process.machine->host, [this, &process] { body_of(process); },
      [this, &process] {
        fail("process '" + process.name + "' ended with an exception that is not a std::exception");
      });
}

void Simulation::body_of(Process& process) {
  if (process.is_gone()) return;  // destroyed before its first instruction
  runs(process);
  try {
    try {
      process.calls->begin();
      process.program(*process.calls);
      process.calls->stop_task();
    } catch (const StopTask&) {
    }
  } catch (const Misuse& misuse) {
    fail(misuse.what);
  } catch (const std::exception& exception) {
    fail("process '" + process.name + "' ended with an exception: " + exception.what());
  }
}

void Simulation::end_of_life(Process& process, Life how) {
  if (process.waiting == Waiting::for_nothing) process.last_activity = now();
  process.cpu_ns = process.cpu_ns_now();
  process.computing_ns = 0;
  process.life = how;
  process.ended = now();
  process.queue.advance(now());
  set_runnable(process, false);
  if (!process.service && --not_ended_ == 0 && !scenario_.services_finish) end({"every process ended", "", false});
  if (how != Life::lost) check_that_something_can_happen();
}

void Simulation::stop(Process& process, std::uint8_t reason) {
  process.stopped |= reason;
  set_runnable(process, false);
  if (process.actor) process.actor->interrupt();
}

void Simulation::unstop(Process& process, std::uint8_t reason) {
  process.stopped = static_cast<std::uint8_t>(process.stopped & ~reason);
  if (process.stopped != 0 || process.life != Life::alive || process.waiting != Waiting::for_nothing) return;
  set_runnable(process, true);
  resume(process);
}

void Simulation::destroy(Process& process, Life how) {
  if (process.is_gone()) return;
  end_of_life(process, how);
  if (process.actor) process.actor->kill();
}

void Simulation::move(Process& process, Machine& to) {
  const bool runnable = process.runnable;
  set_runnable(process, false);
  process.machine = &to;
  set_runnable(process, runnable);
}

void Simulation::set_runnable(Process& process, bool runnable) {
  if (process.runnable == runnable) return;
  process.runnable = runnable;
  const std::uint32_t change = runnable ? 1 : -1u;
  process.machine->runnable += change;
  runnable_ += change;
}

void Simulation::sleep(Process& process) {
  check_that_something_can_happen();
  process.suspended = true;
  process.actor->suspend();
  runs(process);
  if (process.is_gone()) throw StopTask{};
}

void Simulation::wake(Process& process) {
  if (process.is_gone()) return;
  process.waiting = Waiting::for_nothing;
  if (process.stopped != 0) return;
  set_runnable(process, true);
  resume(process);
}

void Simulation::resume(Process& process) {
  if (!process.suspended) return;
  process.suspended = false;
  process.actor->resume();
}

void Simulation::fail(const std::string& what) { end({"an error", what, false}); }

}  // namespace dpm::sim

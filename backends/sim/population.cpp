#include "backends/sim/population.hpp"

#include "backends/sim/process_calls.hpp"
#include "backends/sim/system_programs.hpp"
#include "model/check.hpp"

namespace dpm::sim {

Population::Population(Simulation& simulation) : simulation_(simulation) {}
Population::~Population() = default;

void Population::populate() {
  create_machines();
  create_system_processes();
  create_scenario_processes();
  wire();
}

void Population::create_machines() {
  for (const auto& description : simulation_.scenario().machines) {
    Machine& machine = machines_.emplace_back();
    machine.name = description.name;
    machine.id = {static_cast<std::uint16_t>(machines_.size() - 1)};
    machine.host = simulation_.engine().add_host(description.name, description.cores);
    machine.speed = description.speed;
    machine.rivals = CpuRivals(description.cores);
    machine.clock = description.clock;
    machine.meter_paths.resize(simulation_.names().info().filters.size());
    machine_by_name_[machine.name] = &machine;
  }
  simulation_.engine().hosts_are_complete();
}

void Population::create_system_processes() {
  const auto create = [&](const std::string& name, Machine& machine, const SystemProgram& program) -> Process& {
    Process& process = processes_.emplace_back();
    process.name = name;
    process.program_name = name;
    process.machine = &machine;
    process.system = true;
    process.service = true;
    process.in_computation = false;
    process.rank = next_system_rank_++;
    process.calls = std::make_unique<ProcessCalls>(simulation_, process);
    process.program = [this, program, &process](MessageCalls&) { program(simulation_, *process.calls); };
    return process;
  };
  Machine& first = machines_.front();
  process_manager_ = &create("process manager", first, process_manager_program);
  switchboard_ = &create("switchboard", first, switchboard_program);
  for (Machine& machine : machines_) machine.kernel = &create("kernel of " + machine.name, machine, kernel_program);
  const auto& filters = simulation_.names().info().filters;
  for (std::size_t i = 0; i < filters.size(); ++i) {
    const auto& described = simulation_.scenario().filters;
    const std::string name = described.empty() ? "" : described[i].machine;
    Machine& machine = name.empty() ? first : *machine_by_name_.at(name);
    filters_.push_back(&create("filter " + filters[i], machine, filter_program));
  }
}

void Population::create_scenario_processes() {
  Names& names = simulation_.names();
  for (const auto& description : simulation_.scenario().processes) {
    Process& process = create_process(description.name, description.program_name, description.program,
                                      *find_machine(description.machine));
    process.in_computation = description.in_computation;
    process.service = description.service;
    process.flags = description.flags;
    process.filter = filter_index(names.info(), description.filter);
    names.already_named(process, {static_cast<std::uint32_t>(application_.size() - 1)});
    if (description.created_later) {
      process.is_awaited = true;
      --not_ended_;
      continue;
    }
    if (process.service) --not_ended_;
    give_standard_links(process);
  }
}

void Population::wire() {
  const auto& described = simulation_.scenario().processes;
  for (std::size_t i = 0; i < described.size(); ++i) {
    Process& from = *application_[i];
    for (const auto& name : described[i].links) {
      Process& to = *find_process(name);
      Channel& channel = create_channel(to);
      channel.wired_from = &from;
      from.wired[&to].to = from.links.insert({&channel});
      to.wired[&from].from = channel.owners_index;
    }
  }
}

Process* Population::find_process(const std::string& name) {
  const auto found = process_by_name_.find(name);
  return found == process_by_name_.end() ? nullptr : found->second;
}

Machine* Population::find_machine(const std::string& name) {
  const auto found = machine_by_name_.find(name);
  return found == machine_by_name_.end() ? nullptr : found->second;
}

std::vector<std::string> Population::process_names() const {
  std::vector<std::string> names;
  for (const Process* process : application_) names.push_back(process->name);
  return names;
}

Process& Population::create_process(const std::string& name, const std::string& program_name, Program program,
                                    Machine& machine) {
  Process& process = processes_.emplace_back();
  process.name = name;
  process.program_name = program_name;
  process.program = std::move(program);
  process.machine = &machine;
  process.calls = std::make_unique<ProcessCalls>(simulation_, process);
  process.rank = static_cast<std::uint32_t>(application_.size() + 1);
  process.started = simulation_.now();
  application_.push_back(&process);
  process_by_name_[name] = &process;
  ++not_ended_;
  return process;
}

void Population::create_awaited(Process& process) {
  DPM_CHECK(process.is_awaited);
  process.is_awaited = false;
  process.started = simulation_.now();
  if (!process.service) ++not_ended_;
}

void Population::give_standard_links(Process& process) {
  process.standard_links = {process.links.insert({&channel_to(*switchboard_)}),
                            process.links.insert({&channel_to(*process_manager_)}),
                            process.links.insert({&channel_to(*process.machine->kernel)})};
}

void Population::renew(Process& process) {
  if (process.actor) retired_actors_.push_back(std::move(process.actor));
  retired_calls_.push_back(std::move(process.calls));
  ++process.restarts;
  process.calls = std::make_unique<ProcessCalls>(simulation_, process);
  process.life = Life::created;
  process.stopped = 0;
  process.suspended = false;
  process.waiting = Waiting::for_nothing;
  process.awaited_semaphore = nullptr;
  process.first_awaited_call = 0;
  process.replies.clear();
  for (Packet* packet : process.queue.waiting) simulation_.delivery().packets().give_back(*packet);
  process.queue.begin_again(simulation_.now());
}

Channel& Population::channel_to(Process& system_process) {
  if (system_process.front_door == nullptr) system_process.front_door = &create_channel(system_process);
  return *system_process.front_door;
}

Channel& Population::create_channel(Process& owner) {
  Channel& channel = channels_.emplace_back();
  channel.owner = &owner;
  channel.owners_index = owner.links.insert({&channel});
  return channel;
}

}  // namespace dpm::sim

#include "control/controller/adopt_command.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/controller/deliveries.hpp"
#include "control/controller/process_states.hpp"

namespace dpm::control {
namespace {

template <typename IsTaken>
std::string free_name(const std::string& name, IsTaken&& is_taken) {
  std::string free = name;
  for (unsigned i = 2; is_taken(free); ++i) free = fmt::format("{}.{}", name, i);
  return free;
}

}  // namespace

Outcome AdoptCommand::perform(const Words& words) {
  const auto named =
      words.empty() ? Result<std::vector<std::string>>(without_repetitions(machines_.known_as(known_machines_.read())))
                    : sets_.named_once(words);
  if (!named) return console_.fail("adopt: " + named.error().what);
  const auto& machines = *named;
  auto outcome = Outcome::done;
  const auto left = left_on(machines, outcome);
  std::vector<Question> questions;
  for (const auto& one : left) questions.push_back({one.machine, Adopt{one.managed.pid}});
  auto answers = machines_.ask(std::move(questions));
  std::vector<const Left*> adopted;
  for (std::size_t i = 0; i < left.size(); ++i) {
    if (auto done = expect<Done>(std::move(answers[i])); done) {
      adopted.push_back(&left[i]);
      computation_.note_new(left[i].machine, left[i].managed.pid);
    } else {
      outcome = console_.fail(
          fmt::format("'{}' on {} was not adopted: {}", left[i].managed.name, left[i].machine, done.error().what));
    }
  }
  for (const auto* one : adopted)
    if (one->managed.kind == ManagedProcess::Kind::filter) adopt_filter(*one);
  for (const auto* one : adopted)
    if (one->managed.kind == ManagedProcess::Kind::process) adopt_process(*one);
  if (adopted.empty() && outcome == Outcome::done) console_.say("there is nothing to adopt");
  return outcome;
}

std::vector<AdoptCommand::Left> AdoptCommand::left_on(const std::vector<std::string>& machines, Outcome& outcome) {
  std::vector<Question> questions;
  for (const auto& machine : machines) questions.push_back({machine, ListManaged{}});
  auto answers = machines_.ask(std::move(questions));
  std::vector<Left> left;
  for (std::size_t i = 0; i < machines.size(); ++i) {
    auto list = expect<ManagedList>(std::move(answers[i]));
    if (!list) {
      outcome = console_.fail(fmt::format("adopt: machine '{}': {}", machines[i], list.error().what));
      continue;
    }
    if (list->processes.empty()) known_machines_.forget(machines[i]);
    for (auto& managed : list->processes) {
      if (!managed.attended || computation_.is_given_up(machines[i], managed.pid)) {
        left.push_back({machines[i], std::move(managed)});
      } else if (computation_.process_at(machines[i], managed.pid) == nullptr &&
                 computation_.filter_at(machines[i], managed.pid) == nullptr) {
        console_.say(fmt::format("'{}' on {} belongs to a controller that is connected: {}", managed.name, machines[i],
                                 managed.controller));
      }
    }
  }
  return left;
}

std::string AdoptCommand::free_filter_name(const std::string& name) const {
  return free_name(name, [&](const auto& taken) { return computation_.has_filter(taken); });
}

void AdoptCommand::adopt_filter(const Left& left) {
  auto* known = computation_.filter_with(left.managed.filter);  // its processes may have been adopted before
  const bool is_awaited = known != nullptr && known->is_unadopted();
  const std::string name = is_awaited ? known->name : free_filter_name(left.managed.name);
  auto& filter = is_awaited ? *known : computation_.filters().emplace_back();
  filter.name = name;
  filter.ended.clear();
  filter.machine = left.machine;
  filter.pid = left.managed.pid;
  filter.address = left.managed.filter;
  filter.address.filter = name;
  filter.log = left.managed.log;
  auto& hosts = filter.address.hosts;
  if (filter.address.through_controller) {
    machines_.serve_tunnels(filter.address, left.machine, filter.pid);
  } else if (!machines_.is_here(left.machine) && std::find(hosts.begin(), hosts.end(), left.machine) == hosts.end()) {
    hosts.insert(hosts.begin(), left.machine);
  }
  if (left.managed.state == ProcessState::killed) filter.ended = left.managed.reason;
  filter.delivery = left.managed.delivery;
  console_.say(fmt::format("filter '{}' was adopted: identifier = {}", name, filter.pid));
  if (const auto missing = Deliveries(computation_).sentences(filter); !missing.empty()) console_.say(missing);
}

// Jobs keep their names if these are free; jobs of different controllers stay apart. The processes of one job may be found
// one machine after another, as the machines notice that its controller has gone.
Job& AdoptCommand::job_to_adopt_into(const ManagedProcess& managed) {
  for (auto& job : computation_.jobs())
    if (job.adopted_from == managed.controller && job.adopted_as == managed.job) return job;
  const std::string name = free_name(managed.job, [&](const auto& taken) { return computation_.has_job(taken); });
  auto& job = computation_.add_job(name, managed.filter.filter);
  job.adopted_from = managed.controller;
  job.adopted_as = managed.job;
  return job;
}

// One that was not adopted has a record of its own, so that it is not taken for another filter of its name.
const FilterRecord& AdoptCommand::filter_of(const ManagedProcess& managed) {
  if (const auto* found = computation_.filter_with(managed.filter)) return *found;
  const std::string name = free_filter_name(managed.filter.filter.empty() ? "unknown" : managed.filter.filter);
  auto& filter = computation_.filters().emplace_back();
  filter.name = name;
  filter.machine = managed.filter.hosts.empty() ? "unknown" : managed.filter.hosts.front();
  filter.address = managed.filter;
  filter.address.filter = filter.name;
  filter.ended = "unknown: it was not adopted";
  console_.say(
      fmt::format("filter '{}' of job '{}' was not adopted: it has ended, or it is on a machine that was not asked",
                  filter.name, managed.job));
  return filter;
}

void AdoptCommand::adopt_process(const Left& left) {
  auto& job = job_to_adopt_into(left.managed);
  job.filter = filter_of(left.managed).name;
  for (const auto type : kEventTypes)
    if (left.managed.flags.has(type)) job.flags.set(type, true);
  if (left.managed.flags.immediate()) job.flags.set_immediate(true);
  auto& process = computation_.add_process(job, left.managed.name);
  process.machine = left.machine;
  process.pid = left.managed.pid;
  process.state = left.managed.state;
  process.flags = left.managed.flags;
  process.is_unmetered = left.managed.is_unmetered;
  process.delivery = left.managed.delivery;
  process.source = left.managed.source;
  if (process.state == ProcessState::killed) process.ended = left.managed.reason;
  console_.say(fmt::format("process '{}' was adopted into job '{}': identifier = {}, {}{}", process.name, job.name,
                           process.pid, state_name(process.state),
                           process.is_unmetered ? "; " + left.managed.reason : ""));
}

}  // namespace dpm::control

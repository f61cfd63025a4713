#include "control/controller/process_commands.hpp"

#include <fmt/format.h>

#include <charconv>

#include "control/controller/filter_reach.hpp"

namespace dpm::control {
Outcome ProcessCommands::acquire(const Words& words) {
  const auto job = computation_.job(words[0]);
  if (!job) return console_.fail("acquire: " + job.error().what);
  const auto filter = computation_.filter((*job)->filter);
  if (!filter) return console_.fail("acquire: " + filter.error().what);
  if (!(*filter)->ended.empty())
    return console_.fail(fmt::format("acquire: filter '{}' has ended: {}", (*filter)->name, (*filter)->ended));
  const auto named = sets_.one_named(words[1]);
  if (!named) return console_.fail("acquire: " + named.error().what);
  const std::string& machine = *named;
  std::uint32_t pid = 0;
  const auto [end, error] = std::from_chars(words[2].data(), words[2].data() + words[2].size(), pid);
  if (error != std::errc() || end != words[2].data() + words[2].size() || pid == 0)
    return console_.fail(fmt::format("acquire: '{}' is not a process identifier: a number such as 2120", words[2]));
  // One whose supervisor was killed can be metered again, as an acquired process.
  if (const auto* known = computation_.process_at(machine, pid); known != nullptr && !known->is_unmetered)
    return console_.fail(fmt::format("acquire: process {} on {} is part of a job already", words[2], machine));
  auto address = address_for(machine, (*job)->name, **filter, machines_);
  if (!address) return console_.fail("acquire: " + address.error().what);

  auto taken = expect<ProcessCreated>(
      machines_.ask({{machine, AcquireProcess{(*job)->name, pid, (*job)->flags, *std::move(address), (*job)->source}}})
          .at(0));
  if (!taken) return console_.fail(fmt::format("process {} was not acquired: {}", words[2], taken.error().what));
  computation_.remove_unmetered(machine, pid);
  computation_.note_new(machine, taken->pid);
  auto& process = computation_.add_process(**job, taken->name.empty() ? words[2] : taken->name);
  process.machine = machine;
  process.pid = taken->pid;
  (*filter)->note_new_process();
  process.state = ProcessState::acquired;
  process.flags = (*job)->flags;
  process.source = taken->source;
  known_machines_.remember(machine);
  console_.say(fmt::format("process '{}' was acquired: identifier = {}", process.name, process.pid));
  if (!taken->warning.empty()) console_.say(fmt::format("process '{}' {}", process.name, taken->warning));
  return Outcome::done;
}

Outcome ProcessCommands::send_input(const Words& words, bool is_end) {
  const std::string command = is_end ? "endinput: " : "input: ";
  const auto job = computation_.job(words[0]);
  if (!job) return console_.fail(command + job.error().what);
  const auto process = computation_.process(**job, words[1]);
  if (!process) return console_.fail(command + process.error().what);
  if ((*process)->state == ProcessState::acquired)
    return console_.fail(fmt::format("{}'{}' is acquired: DPM does not control its input", command, words[1]));
  if (!(*process)->is_active()) return console_.fail(fmt::format("{}'{}' is killed", command, words[1]));
  Input request{.pid = (*process)->pid, .end = is_end};
  for (std::size_t i = 2; i < words.size(); ++i) request.bytes += (i == 2 ? "" : " ") + words[i];
  if (!is_end) request.bytes += '\n';
  if (request.bytes.size() > kChunkBytesMax) return console_.fail(command + "the line is too long");
  const auto done = expect<Done>(machines_.ask({{(*process)->machine, std::move(request)}}).at(0));
  if (!done) return console_.fail(command + done.error().what);
  return Outcome::done;
}

}  // namespace dpm::control

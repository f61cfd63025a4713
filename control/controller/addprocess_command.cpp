#include "control/controller/addprocess_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "control/controller/filter_reach.hpp"
#include "control/controller/predicted_places.hpp"
#include "control/controller/rank_launchers.hpp"

namespace dpm::control {
namespace {

std::string current_folder() {
  std::error_code failed;
  const auto folder = std::filesystem::current_path(failed);
  return failed ? "" : folder.string();
}

// "A", "A.2", "A.3": those that the job does not have.
std::vector<std::string> free_names(const Job& job, const std::string& name, std::size_t count) {
  std::set<std::string_view> taken;
  for (const auto& process : job.processes) taken.insert(process.name);
  std::vector<std::string> names;
  for (unsigned i = 1; names.size() < count; ++i) {
    std::string next = i == 1 ? name : fmt::format("{}.{}", name, i);
    if (!taken.contains(next)) names.push_back(std::move(next));
  }
  return names;
}

}  // namespace

Outcome AddprocessCommand::perform(const Words& words, const std::optional<std::string>& input) {
  const auto job = computation_.job(words[0]);
  if (!job) return console_.fail("addprocess: " + job.error().what);
  const auto filter = computation_.filter((*job)->filter);
  if (!filter) return console_.fail("addprocess: " + filter.error().what);
  if (!(*filter)->ended.empty())
    return console_.fail(fmt::format("addprocess: filter '{}' has ended: {}", (*filter)->name, (*filter)->ended));
  if (std::filesystem::path(words[2]).filename().empty())
    return console_.fail(fmt::format("addprocess: '{}' names no file", words[2]));
  const auto word = words[1] == kAutomatic ? next_machine(**job, std::filesystem::path(words[2]).filename())
                                           : Result<std::string>(words[1]);
  if (!word) return console_.fail("addprocess: " + word.error().what);
  const auto machines = sets_.named(*word);
  if (!machines) return console_.fail("addprocess: " + machines.error().what);
  const auto once = without_repetitions(*machines);
  return create(**job, **filter, plan(words, input, *machines, once, **job, **filter));
}

std::vector<AddprocessCommand::Planned> AddprocessCommand::plan(const Words& words,
                                                                const std::optional<std::string>& input,
                                                                const std::vector<std::string>& machines,
                                                                std::vector<std::string> once, const Job& job,
                                                                const FilterRecord& filter) {
  const std::string name = std::filesystem::path(words[2]).filename();

  std::map<std::string, Result<CreateProcess>> requests;
  for (const auto& machine : once) {
    auto address = address_for(machine, job.name, filter, machines_);
    if (!address) {
      requests.emplace(machine, address.error());
      continue;
    }
    CreateProcess request{.job = job.name, .directory = current_folder(), .flags = job.flags};
    request.source = job.source;
    request.arguments.assign(words.begin() + 3, words.end());
    request.filter = *std::move(address);
    requests.emplace(machine, std::move(request));
  }
  const auto is_refused = [&](const std::string& machine) { return !requests.at(machine); };
  std::erase_if(once, is_refused);
  const auto programs = copies_.place(once, words[2], FileUse::executable);
  for (std::size_t i = 0; i < once.size(); ++i) {
    if (programs[i]) {
      requests.at(once[i])->file = *programs[i];
    } else {
      requests.at(once[i]) = programs[i].error();
    }
  }
  if (input.has_value()) {
    std::erase_if(once, is_refused);
    const auto inputs = copies_.place(once, *input, FileUse::input);
    for (std::size_t i = 0; i < once.size(); ++i) {
      if (inputs[i]) {
        requests.at(once[i])->input = *inputs[i];
      } else {
        requests.at(once[i]) = inputs[i].error();
      }
    }
  }

  const auto good = std::count_if(machines.begin(), machines.end(),
                                  [&](const auto& machine) { return static_cast<bool>(requests.at(machine)); });
  const auto names = free_names(job, name, static_cast<std::size_t>(good));
  std::vector<Planned> planned;
  std::size_t next = 0;
  for (const auto& machine : machines) {
    auto request = requests.at(machine);
    if (request) request->name = names[next++];
    planned.push_back({machine, request ? request->name : name, std::move(request)});
  }
  return planned;
}

Outcome AddprocessCommand::create(Job& job, FilterRecord& filter, std::vector<Planned> planned) {
  const bool is_single = planned.size() == 1;
  const auto on = [&](const std::string& machine) { return is_single ? "" : " on " + machine; };
  std::vector<Question> questions;
  for (const auto& one : planned)
    if (one.request) questions.push_back({one.machine, *one.request});
  auto answers = machines_.ask(std::move(questions));

  auto outcome = Outcome::done;
  Lines lines;
  std::size_t next = 0;
  for (auto& one : planned) {
    const auto created =
        one.request ? expect<ProcessCreated>(std::move(answers[next++])) : Result<ProcessCreated>(one.request.error());
    if (!created) {
      if (!lines.empty()) console_.say(std::exchange(lines, {}));
      outcome = console_.fail(
          fmt::format("process '{}'{} was not created: {}", one.name, on(one.machine), created.error().what));
      continue;
    }
    computation_.note_new(one.machine, created->pid);
    auto& process = computation_.add_process(job, one.name);
    process.machine = one.machine;
    process.pid = created->pid;
    process.flags = job.flags;
    process.source = created->source;
    filter.note_new_process();
    known_machines_.remember(one.machine);
    lines.push_back(
        fmt::format("process '{}'{} was created: identifier = {}", one.name, on(one.machine), created->pid));
    if (const auto remark = remark_on_ranks(one.request->file, one.request->arguments); !remark.empty())
      lines.push_back(fmt::format("process '{}' {}", one.name, remark));
    if (!created->warning.empty()) lines.push_back(fmt::format("process '{}' {}", one.name, created->warning));
  }
  if (!lines.empty()) console_.say(lines);
  return outcome;
}

}  // namespace dpm::control

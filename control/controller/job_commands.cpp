#include "control/controller/job_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "control/controller/columns.hpp"
#include "control/controller/command_forms.hpp"
#include "control/controller/deliveries.hpp"
#include "control/controller/flag_names.hpp"
#include "control/controller/process_states.hpp"
#include "control/controller/word_options.hpp"
#include "model/metering_method.hpp"

namespace dpm::control {
namespace {

std::string state_text(const ProcessRecord& process) {
  if (process.is_unreachable && process.state != ProcessState::killed) return "unreachable";
  if (process.ended.empty()) return state_name(process.state) + (process.is_unmetered ? " (unmetered)" : "");
  return fmt::format("{}{}{})", state_name(process.state), (process.state == ProcessState::killed ? " (" : " (ended: "),
                     process.ended);
}

struct JobOptions {
  std::string source, placement;
};

// Takes the options out of the words.
Result<JobOptions> take_job_options(Words& words) {
  JobOptions options;
  for (const auto& [name, value] : take_options(words)) {
    if (name == "--placement" && value.empty()) return Error{"--placement needs a file"};
    if (name == "--placement") {
      options.placement = value;
      continue;
    }
    if (name != "--source") return Error{fmt::format("no option '{}': newjob has --source and --placement", name)};
    const std::string source = value == kFormerEbpf ? kEbpf : value;
    if (std::find(kSources.begin(), kSources.end(), source) == kSources.end())
      return Error{fmt::format("--source '{}': one of {}", value, fmt::join(kSources, ", "))};
    options.source = source;
  }
  return options;
}

// "metered with kernel (--source ebpf): A, B", a line for each source.
Lines source_lines(const Job& job) {
  std::map<std::string, std::string> processes;
  for (const auto& process : job.processes) {
    if (process.source.empty()) continue;
    auto& names = processes[process.source];
    names += (names.empty() ? "" : ", ") + process.name;
  }
  Lines lines;
  for (const auto& [source, names] : processes) lines.push_back(fmt::format("metered with {}: {}", source, names));
  return lines;
}

}  // namespace

Outcome JobCommands::create(const Words& all_words) {
  Words words = all_words;
  const auto options = take_job_options(words);
  if (!options) return console_.fail("newjob: " + options.error().what);
  if (words.empty() || words.size() > 2)
    return console_.fail(fmt::format("newjob takes {} parameters; {}", words.empty() ? "more" : "fewer",
                                     usage(*find_command("newjob").value())));
  if (computation_.has_job(words[0])) return console_.fail(fmt::format("there is a job '{}' already", words[0]));
  if (computation_.filters().empty())
    return console_.fail("a job needs a filter: create one first, such as 'filter f1'");
  std::string filter = words.size() > 1 ? words[1] : "";
  if (!filter.empty()) {
    const auto found = computation_.filter(filter);
    if (!found) return console_.fail("newjob: " + found.error().what);
    if (!(*found)->ended.empty())
      return console_.fail(fmt::format("newjob: filter '{}' has ended: {}", filter, (*found)->ended));
  } else {
    for (const auto& candidate : computation_.filters())
      if (filter.empty() && candidate.ended.empty()) filter = candidate.name;
  }
  if (filter.empty()) return console_.fail("every filter has ended: create another one first");
  std::map<std::string, std::string> placement;
  if (!options->placement.empty()) {
    if (!load_placement_) return console_.fail("newjob: this controller reads no placements");
    auto loaded = load_placement_(options->placement);
    if (!loaded) return console_.fail("newjob: " + loaded.error().what);
    placement = *std::move(loaded);
  }
  Job& job = computation_.add_job(words[0], filter);
  job.source = options->source;
  job.placement = std::move(placement);
  return Outcome::done;
}

Outcome JobCommands::set_flags(const Words& words) {
  const auto job = computation_.job(words[0]);
  if (!job) return console_.fail("setflags: " + job.error().what);
  // The flags of processes may differ from the job's: apply the change to each, not the job's set.
  std::string change;
  for (std::size_t i = 1; i < words.size(); ++i) change += (i == 1 ? "" : ",") + words[i];
  const auto flags = apply_flags((*job)->flags, change);
  if (!flags) return console_.fail("setflags: " + flags.error().what);
  (*job)->flags = *flags;
  console_.say("new job flags = " + flag_words(*flags));

  std::vector<Question> questions;
  for (const auto& process : (*job)->processes)
    if (process.is_active())
      questions.push_back({process.machine, SetFlags{process.pid, apply_flags(process.flags, change).value()}});
  auto answers = machines_.ask(std::move(questions));
  auto outcome = Outcome::done;
  std::size_t next = 0;
  for (auto& process : (*job)->processes) {
    const std::string begin = fmt::format("Process '{}' : ", process.name);
    if (!process.is_active()) {
      console_.say(begin + "has ended");
      continue;
    }
    if (auto done = expect<Done>(std::move(answers[next++])); done) {
      process.flags = apply_flags(process.flags, change).value();
      console_.say(begin + "Flags set");
    } else {
      outcome = console_.fail(fmt::format("{}Flags not set: {}", begin, done.error().what));
    }
  }
  return outcome;
}

Outcome JobCommands::start(const Words& words) {
  const std::string& name = words[0];
  if (words.size() > 1 && words[1] != "--place")
    return console_.fail(fmt::format("startjob: no option '{}': it has --place", words[1]));
  const auto job = computation_.job(name);
  if (!job) return console_.fail("startjob: " + job.error().what);
  if (words.size() > 1) {
    if ((*job)->placement.empty())
      return console_.fail(fmt::format("startjob: job '{}' has no placement: newjob --placement gives it one", name));
    const Lines lines = suggestions(**job);
    if (!lines.empty()) console_.say(lines);
  }
  if ((*job)->processes.empty())
    return console_.fail(fmt::format("job '{}' has no processes: addprocess creates them", name));
  std::vector<Question> questions;
  for (const auto& process : (*job)->processes)
    if (after(Action::start, process.state).has_value())
      questions.push_back({process.machine, StartProcess{process.pid}});
  if (!questions.empty() && (*job)->flags.none())
    console_.say(fmt::format("job '{}' has no meter flags: nothing is recorded until setflags", name));
  auto answers = machines_.ask(std::move(questions));
  auto outcome = Outcome::done;
  std::size_t next = 0;
  for (auto& process : (*job)->processes) {
    const auto state = after(Action::start, process.state);
    if (!state.has_value()) {
      console_.say(fmt::format("'{}' cannot be started: it is {}.", process.name, state_name(process.state)));
    } else if (auto done = expect<Done>(std::move(answers[next++])); done) {
      process.enter(*state);
      console_.say(fmt::format("'{}' started.", process.name));
    } else {
      outcome = console_.fail(fmt::format("'{}' was not started: {}", process.name, done.error().what));
    }
  }
  return outcome;
}

Outcome JobCommands::stop(const std::string& name) {
  const auto job = computation_.job(name);
  if (!job) return console_.fail("stopjob: " + job.error().what);
  std::vector<Question> questions;
  for (const auto& process : (*job)->processes)
    if (after(Action::stop, process.state).has_value())
      questions.push_back({process.machine, StopProcess{process.pid}});
  if (questions.empty()) console_.say(fmt::format("job '{}' has no process that is new or running", name));
  auto answers = machines_.ask(std::move(questions));
  auto outcome = Outcome::done;
  std::size_t next = 0;
  for (auto& process : (*job)->processes) {
    const auto state = after(Action::stop, process.state);
    if (!state.has_value()) continue;
    if (auto done = expect<Done>(std::move(answers[next++])); done) {
      process.enter(*state);
      console_.say(fmt::format("'{}' stopped.", process.name));
    } else {
      outcome = console_.fail(fmt::format("'{}' was not stopped: {}", process.name, done.error().what));
    }
  }
  return outcome;
}

Outcome JobCommands::list(const Words& words) {
  if (words.empty()) {
    if (computation_.jobs().empty()) {
      console_.say("no jobs; 'newjob <jobname>' makes one");
      return Outcome::done;
    }
    std::vector<std::vector<std::string>> rows = {{"number", "job", "filter"}};
    for (const auto& job : computation_.jobs()) rows.push_back({std::to_string(job.number), job.name, job.filter});
    console_.say(columns(rows, 0));
    for (const auto& filter : computation_.filters())
      if (const auto missing = Deliveries(computation_).sentences(filter); !missing.empty()) console_.say(missing);
    return Outcome::done;
  }
  auto outcome = Outcome::done;
  for (const auto& name : words)
    if (list_processes(name) != Outcome::done) outcome = Outcome::failed;
  return outcome;
}

Outcome JobCommands::list_processes(const std::string& name) {
  const auto job = computation_.job(name);
  if (!job) return console_.fail("jobs: " + job.error().what);
  console_.say(fmt::format("job '{}': filter {}, flags {}", name, (*job)->filter, flag_words((*job)->flags)));
  if ((*job)->processes.empty()) return Outcome::done;
  std::vector<std::vector<std::string>> rows = {{"identifier", "state", "process", "machine", "flags"}};
  for (const auto& process : (*job)->processes)
    rows.push_back(
        {std::to_string(process.pid), state_text(process), process.name, process.machine, flag_words(process.flags)});
  console_.say(columns(rows, 0));
  if (const auto lines = source_lines(**job); !lines.empty()) console_.say(lines);
  if (const auto missing = Deliveries(computation_).sentences(**job); !missing.empty()) console_.say(missing);
  return Outcome::done;
}

}  // namespace dpm::control

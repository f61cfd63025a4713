// The commands that are about the controller itself: help, source, sink, wait, die.
#include <algorithm>
#include <charconv>
#include <chrono>

#include "backends/linux/remote/controller/controller.hpp"
#include "backends/linux/remote/controller/listed.hpp"
#include "backends/linux/remote/controller/process_states.hpp"

namespace dpm::control {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds kFlushAfter{200};  // output that has no newline

Result<std::chrono::seconds> read_seconds(const std::string& word) {
  constexpr unsigned kMost = 1'000'000'000;
  unsigned seconds = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), seconds);
  if (error != std::errc() || end != word.data() + word.size() || seconds > kMost)
    return Error{"'" + word + "' is not a number of seconds"};
  return std::chrono::seconds(seconds);
}

bool is_number(const std::string& word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Controller::Outcome Controller::help(const Words& words) {
  if (words.empty()) {
    say(help_text());
    return Outcome::done;
  }
  const auto form = find_command(words[0]);
  if (!form) return fail(form.error().what);
  say(help_text(**form));
  return Outcome::done;
}

Controller::Outcome Controller::source(const std::string& file) {
  if (sources_ == kSourcesDeepMax) {
    is_abandoned_ = true;
    return fail("source: scripts are nested sixteen deep already; does '" + file + "' read itself? All are given up");
  }
  const auto lines = read_script(file);
  if (!lines) return fail("source: " + lines.error().what);
  auto outcome = Outcome::done;
  ++sources_;
  std::size_t number = 0;
  for (const auto& line : *lines) {
    const auto step = perform(line, file + ":" + std::to_string(++number));
    if (machines_.take_interruption() && sources_ > 0 && step != Outcome::left) {
      fail("source: interrupted in line " + std::to_string(number) + " of " + file);
      is_abandoned_ = true;
    }
    if (step != Outcome::done) outcome = step;
    if (step == Outcome::left || is_abandoned_) break;
    show_reports();
  }
  --sources_;
  if (is_abandoned_ && outcome == Outcome::done) outcome = Outcome::failed;
  if (sources_ == 0) is_abandoned_ = false;
  return outcome;
}

Controller::Outcome Controller::sink(const Words& words) {
  if (words.empty()) {
    output_.sink_to(std::nullopt);
    return Outcome::done;
  }
  auto file = SinkFile::open(words[0]);
  if (!file) return fail("sink: " + file.error().what);
  output_.sink_to(*std::move(file));
  return Outcome::done;
}

Controller::Outcome Controller::wait(const Words& words) {
  std::string job_name;
  std::optional<Clock::time_point> end;
  for (const auto& word : words) {
    if (is_number(word) && !(job_name.empty() && computation_.has_job(word))) {
      const auto seconds = read_seconds(word);
      if (!seconds) return fail("wait: " + seconds.error().what);
      end = Clock::now() + *seconds;
    } else if (job_name.empty()) {
      if (const auto job = computation_.job(word); !job) return fail("wait: " + job.error().what);
      job_name = word;
    } else {
      return fail("wait: '" + word + "' is not a number of seconds");
    }
  }
  while (true) {
    show_reports();
    std::vector<std::string> running, unreachable;
    for (const auto& job : computation_.jobs()) {
      if (!job_name.empty() && job.name != job_name) continue;
      for (const auto& process : job.processes) {
        if (process.state != ProcessState::running) continue;
        (process.is_unreachable ? unreachable : running).push_back("'" + process.name + "' in job '" + job.name + "'");
      }
    }
    if (running.empty() && !unreachable.empty())
      return fail("wait: not waiting for what is unreachable: " + listed(unreachable));
    if (running.empty()) return Outcome::done;
    const auto now = Clock::now();
    if (end.has_value() && now >= *end) return fail("wait: still running: " + listed(running));
    milliseconds patience = std::chrono::hours(1);
    if (end.has_value()) patience = std::chrono::ceil<milliseconds>(*end - now);
    if (has_output_waiting()) patience = std::min(patience, kFlushAfter);
    switch (machines_.wait(patience)) {
      case Machines::Waited::reported:
        break;
      case Machines::Waited::timed_out:
        flush_output();
        break;
      case Machines::Waited::interrupted:
        return fail("wait: interrupted; still running: " + listed(running));
    }
  }
}

std::vector<std::string> Controller::active_processes() const {
  std::vector<std::string> active;
  for (const auto& job : computation_.jobs()) {
    for (const auto& process : job.processes) {
      if (!process.is_active()) continue;
      active.push_back("'" + process.name + "' in job '" + job.name + "' (" +
                       (process.is_unreachable ? "unreachable" : state_name(process.state)) + ")");
    }
  }
  return active;
}

Controller::Outcome Controller::die() {
  show_reports();  // perhaps the last one has just ended
  const auto active = active_processes();
  if (!active.empty() && !has_warned_) {
    has_warned_ = true;
    fail("processes are still active: " + listed(active) + "; die once more leaves them so");
    return Outcome::done;  // a warning: whoever goes on has been told
  }
  return leave();
}

Controller::Outcome Controller::end_of_typing() { return die(); }

Controller::Outcome Controller::end_of_script(const std::string& where) {
  show_reports();
  const auto active = active_processes();
  if (!active.empty()) say(where + " ends while processes are active: " + listed(active) + "; they are left so");
  leave();
  if (active.empty()) return Outcome::left;
  ++failures_;
  return Outcome::failed;
}

// Filters go; those that active processes report to stay with these, until a later controller adopts them.
Controller::Outcome Controller::leave() {
  flush_output();
  const auto is_needed = [&](const FilterRecord& filter) {
    return std::any_of(computation_.jobs().begin(), computation_.jobs().end(), [&](const Job& job) {
      return job.filter == filter.name && std::any_of(job.processes.begin(), job.processes.end(),
                                                      [](const auto& process) { return process.is_active(); });
    });
  };
  std::vector<Question> questions;
  for (const auto& filter : computation_.filters()) {
    if (is_needed(filter)) {
      say("filter '" + filter.name + "' on " + filter.machine +
          " stays with them; 'adopt' in a later session takes over");
      continue;
    }
    if (!filter.is_fetched && !filter.log.empty())
      say("the log of filter '" + filter.name + "' was not fetched: it stays on " + filter.machine + " in " +
          filter.log);
    if (!filter.is_unreachable) questions.push_back({filter.machine, Release{filter.pid}});
  }
  for (const auto& answer : machines_.ask(std::move(questions)))
    if (!answer) say("die: " + answer.error().what);
  return Outcome::left;
}

}  // namespace dpm::control

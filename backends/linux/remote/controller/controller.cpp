#include "backends/linux/remote/controller/controller.hpp"

#include "backends/linux/remote/controller/command_words.hpp"

namespace dpm::control {

Controller::Controller(Machines& machines, Screen& screen, KnownMachines known_machines)
    : machines_(machines), output_(screen), known_machines_(std::move(known_machines)), copies_(machines, output_) {}

void Controller::Output::show(std::string_view lines) {
  if (!file_.has_value()) return terminal_.show(lines);
  auto written = file_->write(std::string(lines) + "\n");
  if (written) return;
  // The disk may be full. What could not be written is not lost: it goes where the user looks.
  file_.reset();
  terminal_.show("sink: " + written.error().what + "; output goes to the terminal again");
  terminal_.show(lines);
}

Controller::Outcome Controller::perform(std::string_view line, const std::string& where) {
  if (!where.empty()) where_.push_back(where);
  const int failures_before = failures_;
  const auto outcome = [&] {
    auto command = read_words(line);
    if (!command) return fail(command.error().what);
    if (command->words.empty()) return Outcome::done;
    const auto form = find_command(command->words.front());
    if (!form) return fail(form.error().what);
    command->words.erase(command->words.begin());
    return dispatch(**form, command->words, command->input);
  }();
  if (!where.empty()) where_.pop_back();
  // A script that failed has counted its own.
  if (outcome == Outcome::failed && failures_ == failures_before) ++failures_;
  return outcome;
}

Controller::Outcome Controller::dispatch(const CommandForm& form, const Words& words,
                                         const std::optional<std::string>& input) {
  if (form.verb != Verb::die) has_warned_ = false;
  if (form.verb != Verb::removejob && form.verb != Verb::removeprocess) warned_of_.clear();
  if (const auto wrong = wrong_parameters(form, words.size()); !wrong.empty()) return fail(wrong);
  if (input.has_value() && form.verb != Verb::addprocess)
    return fail(std::string(form.name) + " has no standard input: '<' belongs to addprocess");
  switch (form.verb) {
    case Verb::help:
      return help(words);
    case Verb::filter:
      return words.empty() ? list_filters() : filter(words);
    case Verb::newjob:
      return new_job(words);
    case Verb::addprocess:
      return add_process(words, input);
    case Verb::acquire:
      return acquire(words);
    case Verb::setflags:
      return set_flags(words);
    case Verb::startjob:
      return start_job(words[0]);
    case Verb::stopjob:
      return stop_job(words[0]);
    case Verb::removejob:
      return remove_job(words[0]);
    case Verb::removeprocess:
      return remove_process(words[0], words[1]);
    case Verb::jobs:
      return jobs(words);
    case Verb::input:
      return send_input(words, false);
    case Verb::endinput:
      return send_input(words, true);
    case Verb::wait:
      return wait(words);
    case Verb::getlog:
      return get_log(words[0], words[1]);
    case Verb::adopt:
      return adopt(words);
    case Verb::source:
      return source(words[0]);
    case Verb::sink:
      return sink(words);
    case Verb::die:
      return die();
  }
  return Outcome::failed;
}

Controller::Outcome Controller::fail(const std::string& why) {
  say((where_.empty() ? "" : where_.back() + ": ") + why);
  return Outcome::failed;
}

}  // namespace dpm::control

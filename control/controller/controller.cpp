#include "control/controller/controller.hpp"

#include "control/controller/command_words.hpp"
#include "model/lower_case.hpp"

namespace dpm::control {
namespace {

// What stands behind "define", which has the words of event scripts, not those of commands.
std::optional<std::string_view> definition_in(std::string_view line) {
  constexpr std::string_view kBlanksAfterVerb = " \t", kVerb = "define";
  const auto begin = line.find_first_not_of(kBlanksAfterVerb);
  if (begin == std::string_view::npos) return std::nullopt;
  line.remove_prefix(begin);
  const auto end = std::min(line.find_first_of(kBlanksAfterVerb), line.size());
  if (lower_case(line.substr(0, end)) != kVerb) return std::nullopt;
  return line.substr(end);
}

}  // namespace

Controller::Controller(Machines& machines, Screen& screen, KnownMachines known_machines, const std::string& hosts_file,
                       WatchSettings watching, EventSettings events, LoadPlacement load_placement, HelpTexts help_texts)
    : console_(screen),
      help_texts_(std::move(help_texts)),
      known_machines_(std::move(known_machines)),
      copies_(machines, console_),
      sets_(machines, console_, computation_, hosts_file),
      reports_(machines, console_, computation_),
      watch_(machines, console_, computation_, reports_, std::move(watching)),
      filters_(machines, console_, computation_, known_machines_, copies_, sets_),
      filter_removal_(machines, console_, computation_, reports_),
      kept_files_(machines, console_, computation_, known_machines_, sets_),
      jobs_(machines, console_, computation_, std::move(load_placement)),
      events_(machines, console_, computation_, reports_, sets_, jobs_, std::move(events)),
      addprocess_(machines, console_, computation_, known_machines_, copies_, sets_),
      processes_(machines, console_, computation_, known_machines_, sets_),
      removal_(machines, console_, computation_, reports_),
      adopt_(machines, console_, computation_, known_machines_, sets_),
      wait_(machines, console_, computation_, reports_),
      scripts_(machines, console_, reports_,
               [this](const std::string& line, const std::string& where) { return perform(line, where); }),
      leaving_(machines, console_, computation_, reports_, watch_) {}

Outcome Controller::perform(std::string_view line, const std::string& where) {
  if (!where.empty()) console_.enter(where);
  const int failures_before = failures_;
  const auto outcome = perform_words(line);
  if (!where.empty()) console_.leave();
  // A script has counted the failures of its lines.
  if (outcome == Outcome::failed && failures_ == failures_before) ++failures_;
  return outcome;
}

Outcome Controller::perform_words(std::string_view line) {
  if (const auto definition = definition_in(line)) return events_.define(*definition);
  auto command = read_words(line);
  if (!command) return console_.fail(command.error().what);
  if (command->words.empty()) return Outcome::done;
  const auto form = find_command(command->words.front());
  if (!form) return console_.fail(form.error().what);
  command->words.erase(command->words.begin());
  const Outcome outcome = perform_form(**form, command->words, command->input);
  if (outcome == Outcome::left) events_.end();
  return outcome;
}

Outcome Controller::perform_form(const CommandForm& form, const Words& words, const std::optional<std::string>& input) {
  const Outcome outcome = dispatch(form, words, input);
  const bool may_bring_machines =
      form.verb == Verb::addprocess || form.verb == Verb::acquire || form.verb == Verb::adopt;
  if (may_bring_machines && outcome == Outcome::done) events_.reach_new_machines();
  return outcome;
}

Outcome Controller::dispatch(const CommandForm& form, const Words& words, const std::optional<std::string>& input) {
  if (form.verb != Verb::die) leaving_.forget_warning();
  if (const auto wrong = wrong_parameters(form, words.size()); !wrong.empty()) return console_.fail(wrong);
  if (input.has_value() && form.verb != Verb::addprocess)
    return console_.fail(std::string(form.name) + " has no standard input: '<' belongs to addprocess");
  switch (form.verb) {
    case Verb::help:
      return help(words);
    case Verb::filter:
      return words.empty() ? filters_.list() : filters_.create(words);
    case Verb::newjob:
      return jobs_.create(words);
    case Verb::addprocess:
      return addprocess_.perform(words, input);
    case Verb::acquire:
      return processes_.acquire(words);
    case Verb::setflags:
      return jobs_.set_flags(words);
    case Verb::startjob:
      return jobs_.start(words);
    case Verb::stopjob:
      return jobs_.stop(words[0]);
    case Verb::removejob:
      return removal_.remove_job(words[0]);
    case Verb::removeprocess:
      return removal_.remove_process(words[0], words[1]);
    case Verb::jobs:
      return jobs_.list(words);
    case Verb::input:
      return processes_.send_input(words, false);
    case Verb::endinput:
      return processes_.send_input(words, true);
    case Verb::wait:
      return wait_.perform(words);
    case Verb::getlog:
      return filters_.get_log(words);
    case Verb::watch:
      return watch_.watch(words);
    case Verb::unwatch:
      return watch_.unwatch(words[0]);
    case Verb::endfilter:
      return filter_removal_.end(words[0]);
    case Verb::removefilter:
      return filter_removal_.remove(words[0]);
    case Verb::files:
      return kept_files_.list(words);
    case Verb::removefiles:
      return kept_files_.remove(words);
    case Verb::adopt:
      return adopt_.perform(words);
    case Verb::source:
      return scripts_.perform(words[0]);
    case Verb::sink:
      return sink(words);
    case Verb::define:
      return Outcome::failed;  // definition_in() has it
    case Verb::undefine:
      return events_.undefine(words);
    case Verb::read:
      return events_.read(words[0]);
    case Verb::show:
      return events_.show(words);
    case Verb::remote:
      return events_.remote(words);
    case Verb::log:
      return events_.log(words);
    case Verb::stop:
      return events_.stop(words);
    case Verb::ps:
      return events_.ps(words);
    case Verb::die:
      return leaving_.die();
  }
  return Outcome::failed;
}

Outcome Controller::help(const Words& words) {
  if (words.empty()) {
    console_.say(lines_of(help_texts_.menu()));
    return Outcome::done;
  }
  const auto form = find_command(words[0]);
  if (!form) return console_.fail(form.error().what);
  console_.say(lines_of(help_texts_.of(**form)));
  return Outcome::done;
}

Outcome Controller::sink(const Words& words) {
  if (words.empty()) {
    console_.sink_to(std::nullopt);
    return Outcome::done;
  }
  auto file = SinkFile::open(words[0]);
  if (!file) return console_.fail("sink: " + file.error().what);
  console_.sink_to(*std::move(file));
  return Outcome::done;
}

Outcome Controller::end_of_typing() { return leaving_.die(); }

Outcome Controller::end_of_script(const std::string& where) {
  const auto outcome = leaving_.end_of_script(where);
  if (outcome == Outcome::failed) ++failures_;
  return outcome;
}

}  // namespace dpm::control

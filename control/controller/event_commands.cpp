#include "control/controller/event_commands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "control/controller/columns.hpp"
#include "control/controller/listed.hpp"
#include "control/controller/user_files.hpp"
#include "model/counted.hpp"
#include "model/nearest_name.hpp"

namespace dpm::control {
namespace {

using Kind = DefinitionTable::Kind;

const std::map<Kind, std::string> kKindNames = {
    {Kind::process, "process"}, {Kind::event, "event"}, {Kind::region, "region"}, {Kind::high_level, "when"}};

// A record is written some microseconds after its time, and comes here some milliseconds later.
constexpr std::int64_t kLatestEvent_ns = 200'000'000;

std::optional<Kind> kind_named(const std::string& word) {
  for (const auto& [kind, name] : kKindNames)
    if (name == word) return kind;
  return std::nullopt;
}

}  // namespace

EventCommands::EventCommands(Machines& machines, Console& console, Computation& computation, Reports& reports,
                             const MachineSets& sets, JobCommands& jobs, EventSettings settings)
    : console_(console),
      sets_(sets),
      settings_(std::move(settings)),
      table_(DefinitionTable::Again::replaces),
      log_(console, reports, std::move(settings_.terminal)),
      central_(table_.script()),
      told_(machines, computation, table_, log_, central_),
      actions_(console, computation, table_.script(), jobs, told_) {
  reports.on_events([this](const std::string& machine, const EventsSeen& seen) { take(machine, seen); });
  reports.on_taken([this] {
    take_central();
    actions_.perform_noted();
  });
}

// ---- definitions

Outcome EventCommands::define(std::string_view line) {
  const auto before = line.find_first_not_of(" \t");
  const bool is_known = before != std::string_view::npos;
  const auto read = table_.read_line(line, 0);
  if (read.mistake)
    return console_.fail(fmt::format("define: column {}: {}", read.mistake->column, read.mistake->what));
  if (!read.definition || !is_known)
    return console_.fail("define: expected a definition: process, event, region or when ...");
  told_.keep(*read.definition, std::string(line.substr(before)));
  told_.forget_stops();
  say_complaints(told_.find_machines());
  told_.tell(*read.definition);
  told_.place_all();
  const Outcome outcome = say_complaints(told_.monitored().send());
  const std::vector<std::string> machines = told_.machines_of(*read.definition);
  console_.say(
      fmt::format("{} is defined{}", described(*read.definition), machines.empty() ? "" : " on " + listed(machines)));
  return outcome;
}

Outcome EventCommands::read(const std::string& file) {
  const auto lines = read_script(file);
  if (!lines) return console_.fail("read: " + lines.error().what);
  // A copy first: of a file with a mistake nothing holds.
  DefinitionTable tried = table_;
  for (std::size_t i = 0; i < lines->size(); ++i)
    if (const auto mistake = tried.read_line((*lines)[i], i + 1).mistake)
      return console_.fail(fmt::format("{}:{}:{}: {}", file, i + 1, mistake->column, mistake->what));
  std::vector<Definition> definitions;
  for (const std::string& line : *lines)
    if (const auto definition = table_.read_line(line, 0).definition) {
      told_.keep(*definition, line);
      definitions.push_back(*definition);
    }
  told_.forget_stops();
  say_complaints(told_.find_machines());
  for (const Definition& definition : definitions) told_.tell(definition);
  told_.place_all();
  const Outcome outcome = say_complaints(told_.monitored().send());
  console_.say(fmt::format("{} read from '{}'{}", counted(definitions.size(), "definition"), file,
                           told_.monitored().all().empty() ? "" : ", in force on " + listed(told_.monitored().all())));
  return outcome;
}

Outcome EventCommands::undefine(const Words& words) {
  const auto kind = words.size() > 1 ? kind_named(words[0]) : std::nullopt;
  if (words.size() > 1 && !kind)
    return console_.fail(fmt::format("undefine: '{}' is not one of process, event, region and when", words[0]));
  const std::string& name = words.back();
  const auto found = kind ? table_.find(*kind, name) : table_.find(name);
  if (!found) {
    std::vector<std::string> names;
    for (const auto& [known, text] : kKindNames)
      for (std::string& each : table_.names(known)) names.push_back(std::move(each));
    return console_.fail(fmt::format("undefine: nothing is defined as '{}'{}", name, did_you_mean(name, names)));
  }
  const std::string what = described(*found);
  std::vector<std::string> others;
  for (const Definition& gone : table_.undefine(*found)) {
    if (gone != *found) others.push_back(described(gone));
    told_.forget(gone);
    told_.tell(gone);
  }
  told_.place_all();
  const Outcome outcome = say_complaints(told_.monitored().send());
  console_.say(fmt::format("{} is no longer defined{}", what,
                           others.empty() ? "" : ", nor are the definitions that depend on it: " + listed(others)));
  return outcome;
}

std::string EventCommands::described(const Definition& definition) const {
  return fmt::format("{} '{}'", kKindNames.at(definition.kind), table_.name_of(definition));
}

Outcome EventCommands::say_complaints(const std::vector<std::string>& complaints) {
  for (const std::string& complaint : complaints) console_.fail(complaint);
  return complaints.empty() ? Outcome::done : Outcome::failed;
}

// As soon as a process is defined: what its events need is then made ready there.
void EventCommands::reach_new_machines() {
  if (!table_.has_any(Kind::process)) return;
  const std::size_t before = told_.monitored().all().size();
  say_complaints(told_.find_machines());
  if (told_.monitored().all().size() == before) return;
  told_.place_all();
  say_complaints(told_.monitored().send());
}

// ---- what happens

void EventCommands::take(const std::string& machine, const EventsSeen& seen) {
  if (seen.unsent != 0)
    log_.warning(machine,
                 fmt::format("{} were dropped there: the controller did not keep up", counted(seen.unsent, "event")));
  for (const std::string& warning : seen.warnings) log_.warning(machine, warning);
  for (const EventSeen& each : seen.events) {
    log_.event(each.time_ns, machine, each.text, each.is_high_level);
    const auto found = table_.find(each.is_high_level ? Kind::high_level : Kind::event, each.event);
    if (!found) continue;  // undefined meanwhile
    if (each.is_high_level)
      actions_.note(table_.script().high_level[found->number], machine, each.pid, false);
    else
      central_.add(found->number, machine, each);
  }
}

void EventCommands::take_central() {
  central_.time_is(settings_.now_ns() - kLatestEvent_ns);
  for (const CentralEvaluation::Found& found : central_.take_found()) {
    const HighLevelEvent& event = table_.script().high_level[found.event];
    std::string text = found.text;
    if (event.does(HighLevelActionKind::snapshot))
      for (const std::string& line : central_.snapshot()) text += "\n  " + line;
    log_.event(static_cast<std::uint64_t>(found.time_ns), "*", text, true);
    actions_.note(event, found.machine, found.pid, true);
  }
}

// ---- what there is

Outcome EventCommands::show(const Words& words) {
  if (words[0] == "support") return show_support(words);
  if (words[0] == "machine") return show_machines(words);
  if (kind_named(words[0])) return show_definitions(words);
  return console_.fail(
      "show: 'show process', 'show event', 'show support' or 'show machine', each with or without a name");
}

// "show event" has what is made of events, too.
Outcome EventCommands::show_definitions(const Words& words) {
  std::vector<Kind> kinds{*kind_named(words[0])};
  if (kinds.front() == Kind::event) kinds.insert(kinds.end(), {Kind::region, Kind::high_level});
  Lines lines;
  std::vector<std::string> all;
  for (const Kind kind : kinds)
    for (const std::string& name : table_.names(kind)) {
      all.push_back(name);
      if (words.size() > 1 && words[1] != name) continue;
      const std::size_t number = table_.find(kind, name)->number;
      std::string line = told_.text_of({kind, number});
      if (kind == Kind::high_level)
        line += fmt::format("   # evaluated {}", told_.home(number).empty() ? "here" : "on " + told_.home(number));
      lines.push_back(std::move(line));
    }
  if (lines.empty() && words.size() > 1)
    return console_.fail(fmt::format("show: no {} '{}' is defined{}", words[0], words[1], did_you_mean(words[1], all)));
  console_.say(lines.empty() ? Lines{fmt::format("no {} is defined", words[0])} : lines);
  return Outcome::done;
}

Outcome EventCommands::show_support(const Words& words) {
  Lines lines;
  for (const std::string& name : table_.names(Kind::process)) {
    if (words.size() > 1 && words[1] != name) continue;
    std::vector<std::string> names;
    for (const Definition& each : table_.support(*table_.find(Kind::process, name))) names.push_back(described(each));
    lines.push_back(fmt::format("process '{}': {}", name, names.empty() ? "nothing depends on it" : listed(names)));
  }
  if (lines.empty() && words.size() > 1)
    return console_.fail(fmt::format("show: no process '{}' is defined{}", words[1],
                                     did_you_mean(words[1], table_.names(Kind::process))));
  console_.say(lines.empty() ? Lines{"no process is defined"} : lines);
  return Outcome::done;
}

Result<std::vector<std::string>> EventCommands::machines_for(const Words& words, std::size_t at) {
  if (words.size() <= at) return told_.monitored().all();
  const auto machine = sets_.one_named(words[at]);
  if (!machine) return machine.error();
  if (!told_.monitored().contains(*machine))
    return Error{fmt::format("events are not watched on machine {}", *machine)};
  return std::vector<std::string>{*machine};
}

Outcome EventCommands::show_machines(const Words& words) {
  const auto machines = machines_for(words, 1);
  if (!machines) return console_.fail("show: " + machines.error().what);
  if (machines->empty()) {
    console_.say("events are not watched on any machine; 'define' or 'read' starts it");
    return Outcome::done;
  }
  std::vector<std::vector<std::string>> rows = {
      {"machine", "definitions", "programs", "seen", "lost", "backlog most", "last", "longest ms"}};
  Outcome outcome = Outcome::done;
  for (const auto& [machine, state] : told_.monitored().states(*machines)) {
    if (!state) {
      outcome = console_.fail(fmt::format("show: machine {}: {}", machine, state.error().what));
      continue;
    }
    rows.push_back({machine, std::to_string(state->definitions), std::to_string(state->programs),
                    std::to_string(state->seen), std::to_string(state->lost), std::to_string(state->backlog_most),
                    std::to_string(state->backlog_last),
                    fmt::format("{:.1f}", static_cast<double>(state->backlog_longest_ns) * 1e-6)});
  }
  if (rows.size() > 1) console_.say(columns(rows, 0));
  return outcome;
}

Outcome EventCommands::remote(const Words& words) {
  const std::string kind = words.size() > 1 ? words[1] : "";
  if (!kind.empty() && kind != "event" && kind != "process")
    return console_.fail("remote: 'remote MACHINE', 'remote MACHINE event' or 'remote MACHINE process'");
  const auto machines = machines_for({words[0]}, 0);
  if (!machines) return console_.fail("remote: " + machines.error().what);
  Outcome outcome = Outcome::done;
  for (const auto& state : told_.monitored().states(*machines)) {
    if (state.second)
      console_.say(lines_of(state, kind));
    else
      outcome = console_.fail(fmt::format("remote: machine {}: {}", state.first, state.second.error().what));
  }
  return outcome;
}

Lines EventCommands::lines_of(const EventMachines::State& state, const std::string& kind) const {
  Lines lines;
  const std::string& text = state.second->lines;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text.compare(at, kind.size(), kind) == 0) lines.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines.empty()) lines.push_back(fmt::format("machine {} has none", state.first));
  return lines;
}

Outcome EventCommands::log(const Words& words) {
  const Outcome outcome = log_.perform(words);
  told_.tell_wishes();
  return say_complaints(told_.monitored().send()) == Outcome::done ? outcome : Outcome::failed;
}

Outcome EventCommands::stop(const Words& words) {
  const auto machines = machines_for(words, 0);
  if (!machines) return console_.fail("stop: " + machines.error().what);
  if (machines->empty()) return console_.fail("stop: events are not watched on any machine ('stopjob' stops a job)");
  const Outcome outcome = say_complaints(told_.monitored().end(*machines));
  for (const std::string& machine : *machines) told_.stop(machine);
  told_.place_all();
  say_complaints(told_.monitored().send());
  console_.say(fmt::format("events are no longer watched on {}; the programs continue", listed(*machines)));
  return outcome;
}

Outcome EventCommands::ps(const Words& words) {
  if (!settings_.run_ps) return console_.fail("ps: this program cannot run it");
  const auto lines = settings_.run_ps(words);
  if (!lines) return console_.fail("ps: " + lines.error().what);
  console_.say(*lines);
  return Outcome::done;
}

void EventCommands::end() {
  if (!told_.monitored().all().empty()) told_.monitored().end(told_.monitored().all());
}

}  // namespace dpm::control

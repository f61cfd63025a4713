#include "backends/linux/remote/controller/event_commands.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <dpm/monitor/actions.hpp>

#include "backends/linux/remote/controller/columns.hpp"
#include "backends/linux/remote/controller/listed.hpp"
#include "backends/linux/remote/controller/user_files.hpp"
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
    : machines_(machines),
      console_(console),
      computation_(computation),
      reports_(reports),
      sets_(sets),
      jobs_(jobs),
      settings_(std::move(settings)),
      table_(DefinitionTable::Again::replaces),
      monitored_(machines),
      log_(console, reports),
      central_(table_.script()) {
  reports_.on_events([this](const std::string& machine, const EventsSeen& seen) { take(machine, seen); });
  reports_.on_taken([this] {
    take_central();
    perform_actions();
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
  keep(*read.definition, std::string(line.substr(before)));
  stopped_.clear();
  find_machines();
  tell(*read.definition);
  place_all();
  const Outcome outcome = say_complaints(monitored_.send());
  console_.say(fmt::format("{} is defined{}", described(*read.definition),
                           monitored_.all().empty() ? "" : " on " + listed(monitored_.all())));
  return outcome;
}

// Events may come before everything else is told: what waited for the parts of an earlier event of this name is of no use.
void EventCommands::keep(const Definition& definition, const std::string& line) {
  texts_[{definition.kind, definition.number}] = line;
  if (definition.kind == Kind::high_level) central_.place(definition.number, false);
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
      keep(*definition, line);
      definitions.push_back(*definition);
    }
  stopped_.clear();
  find_machines();
  for (const Definition& definition : definitions) tell(definition);
  place_all();
  const Outcome outcome = say_complaints(monitored_.send());
  console_.say(fmt::format("{} read from '{}'{}", counted(definitions.size(), "definition"), file,
                           monitored_.all().empty() ? "" : ", in force on " + listed(monitored_.all())));
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
    texts_.erase({gone.kind, gone.number});
    tell(gone);
  }
  place_all();
  const Outcome outcome = say_complaints(monitored_.send());
  console_.say(fmt::format("{} is not defined any more{}", what,
                           others.empty() ? "" : ", nor is what depended on it: " + listed(others)));
  return outcome;
}

std::string EventCommands::described(const Definition& definition) const {
  return fmt::format("{} '{}'", kKindNames.at(definition.kind), table_.name_of(definition));
}

Outcome EventCommands::say_complaints(const std::vector<std::string>& complaints) {
  for (const std::string& complaint : complaints) console_.fail(complaint);
  return complaints.empty() ? Outcome::done : Outcome::failed;
}

// ---- machines

// Those of the computation, and those that events name; this one if there is none.
void EventCommands::find_machines() {
  std::vector<std::string> named;
  for (const auto& job : computation_.jobs())
    for (const auto& process : job.processes) named.push_back(process.machine);
  std::vector<std::string> of_events;
  for (const EventDefinition& event : table_.script().events)
    if (event.is_defined && event.machine != "*" &&
        std::find(of_events.begin(), of_events.end(), event.machine) == of_events.end())
      of_events.push_back(event.machine);
  if (!of_events.empty())
    for (std::string& machine : machines_.known_as(of_events)) named.push_back(std::move(machine));
  if (!named.empty()) leave_this_machine(named);
  if (named.empty() && monitored_.all().empty() && table_.has_any(Kind::process)) named.emplace_back(kLocalMachine);
  for (const std::string& machine : named)
    if (!monitored_.contains(machine) && !stopped_.contains(machine)) {
      monitored_.add(machine);
      tell_everything(machine);
    }
}

// It was made ready when a process was defined. No event came, and now there are machines that it can be about.
void EventCommands::leave_this_machine(const std::vector<std::string>& named) {
  const std::string here(kLocalMachine);
  if (!monitored_.contains(here) || std::find(named.begin(), named.end(), here) != named.end()) return;
  if (std::any_of(told_.begin(), told_.end(), [&](const auto& told) { return told.second.contains(here); })) return;
  say_complaints(monitored_.end({here}));
  forget_machine(here);
}

void EventCommands::forget_machine(const std::string& machine) {
  monitored_.remove(machine);
  wishes_.erase(machine);
  for (auto& [event, told] : told_) told.erase(machine);
}

// As soon as a process is defined: what its events need is then made ready there.
void EventCommands::reach_new_machines() {
  if (!table_.has_any(Kind::process)) return;
  const std::size_t before = monitored_.all().size();
  find_machines();
  if (monitored_.all().size() == before) return;
  place_all();
  say_complaints(monitored_.send());
}

void EventCommands::tell_everything(const std::string& machine) {
  tell_wishes(machine);
  for (const std::string& name : table_.names(Kind::process))
    monitored_.tell(machine, "define " + texts_.at({Kind::process, table_.find(Kind::process, name)->number}));
  for (const std::string& name : table_.names(Kind::event)) tell_event(table_.find(Kind::event, name)->number);
}

void EventCommands::tell_wishes(const std::string& machine) {
  const bool needs_all = log_.wants_all() || std::any_of(homes_.begin(), homes_.end(),
                                                         [](const auto& home) { return home.second.empty(); });
  const std::string wish = needs_all ? "send all" : "send high-level";
  if (std::exchange(wishes_[machine], wish) != wish) monitored_.tell(machine, wish);
}

void EventCommands::tell(const Definition& definition) {
  const std::string name = table_.name_of(definition);
  switch (definition.kind) {
    case Kind::process: {
      const bool is_defined = table_.script().processes[definition.number].is_defined;
      for (const std::string& machine : monitored_.all())
        monitored_.tell(machine, is_defined ? "define " + texts_.at({Kind::process, definition.number})
                                            : "undefine process " + name);
      return;
    }
    case Kind::event:
      return tell_event(definition.number);
    case Kind::region:
      return;  // asked about in traces
    case Kind::high_level:
      return place(definition.number, true);
  }
}

// To the machines that it is about. Their own names for themselves do not matter.
void EventCommands::tell_event(std::size_t number) {
  const EventDefinition& event = table_.script().events[number];
  std::set<std::string> now;
  if (event.is_defined && event.machine == "*") now.insert(monitored_.all().begin(), monitored_.all().end());
  if (event.is_defined && event.machine != "*") now.insert(machines_.known_as({event.machine}).front());
  for (const std::string& machine : told_[number])
    if (!now.contains(machine) && monitored_.contains(machine))
      monitored_.tell(machine, "undefine event " + event.name);
  for (const std::string& machine : now)
    if (monitored_.contains(machine)) monitored_.tell(machine, "define " + event_text(number));
  told_[number] = std::move(now);
}

std::string EventCommands::event_text(std::size_t number) const {
  const EventDefinition& event = table_.script().events[number];
  return fmt::format("event {} is {} on {} at *.{}.{}", event.name,
                     event.meter_event ? name_of(*event.meter_event) : monitor::kActionNames[event.action].name,
                     event.object, table_.script().processes[event.process].name, event.function);
}

// The only machine on which its parts can happen; "": here.
std::string EventCommands::home_of(std::size_t number) const {
  std::set<std::string> machines;
  for (const std::size_t event : primitive_events_of(table_.script().high_level[number]))
    if (const auto told = told_.find(event); told != told_.end())
      machines.insert(told->second.begin(), told->second.end());
  const bool is_one = machines.size() == 1 && monitored_.contains(*machines.begin());
  return is_one ? *machines.begin() : "";
}

void EventCommands::place(std::size_t number, bool is_another) {
  const HighLevelEvent& event = table_.script().high_level[number];
  if (!event.is_defined) {
    central_.place(number, false);
    for (const std::string& machine : monitored_.all()) monitored_.tell(machine, "undefine when " + event.name);
    homes_.erase(number);
    return;
  }
  const std::string home = home_of(number);
  const auto known = homes_.find(number);
  if (known != homes_.end() && known->second == home && !is_another) return;
  if (known != homes_.end() && known->second != home && monitored_.contains(known->second))
    monitored_.tell(known->second, "undefine when " + event.name);
  homes_[number] = home;
  central_.place(number, home.empty());
  if (!home.empty()) monitored_.tell(home, "define " + texts_.at({Kind::high_level, number}));
}

void EventCommands::place_all() {
  const EventScript& script = table_.script();
  for (std::size_t e = 0; e < script.events.size(); ++e)
    if (script.events[e].is_defined && script.events[e].machine == "*" && told_[e].size() != monitored_.all().size())
      tell_event(e);
  for (std::size_t h = 0; h < script.high_level.size(); ++h)
    if (script.high_level[h].is_defined) place(h, false);
  for (const std::string& machine : monitored_.all()) tell_wishes(machine);
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
      note_actions(table_.script().high_level[found->number], machine, each.pid, false);
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
    note_actions(event, found.machine, found.pid, true);
  }
}

// Performed when questions may be asked. What a machine evaluates, it switches by itself.
void EventCommands::note_actions(const HighLevelEvent& event, const std::string& machine, std::uint32_t pid,
                                 bool is_central) {
  for (const HighLevelAction& action : event.actions) {
    const bool is_switch = action.kind == HighLevelActionKind::on || action.kind == HighLevelActionKind::off;
    if (action.kind == HighLevelActionKind::stop || action.kind == HighLevelActionKind::flags ||
        (is_switch && is_central))
      pending_.push_back({action, machine, pid});
  }
}

void EventCommands::perform_actions() {
  if (std::exchange(is_performing_, true)) return;
  for (const Pending& pending : std::exchange(pending_, {})) perform(pending.action, pending.machine, pending.pid);
  is_performing_ = false;
}

void EventCommands::perform(const HighLevelAction& action, const std::string& machine, std::uint32_t pid) {
  if (action.kind == HighLevelActionKind::on || action.kind == HighLevelActionKind::off) {
    const EventDefinition& event = table_.script().events[action.event];
    const char* verb = action.kind == HighLevelActionKind::on ? "on" : "off";
    for (const std::string& each : told_[action.event])
      if (monitored_.contains(each)) monitored_.tell(each, fmt::format("{} {}", verb, event.name));
    say_complaints(monitored_.send());
    return;
  }
  std::string job = action.job;
  const Job* of_process = nullptr;
  if (job.empty() && computation_.process_at(machine, pid, &of_process) != nullptr) job = of_process->name;
  if (job.empty()) {
    console_.fail(fmt::format("process {} on {} is not part of a job: name one, as in 'stop of JOB'", pid, machine));
    return;
  }
  if (action.kind == HighLevelActionKind::stop) {
    jobs_.stop(job);
    return;
  }
  Words words{job};
  for (std::size_t at = 0; at <= action.flags.size();) {
    const std::size_t end = std::min(action.flags.find(',', at), action.flags.size());
    words.push_back(action.flags.substr(at, end - at));
    at = end + 1;
  }
  jobs_.set_flags(words);
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
      std::string line = texts_.at({kind, number});
      if (kind == Kind::high_level)
        line += fmt::format("   # evaluated {}", homes_.at(number).empty() ? "here" : "on " + homes_.at(number));
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
  if (words.size() <= at) return monitored_.all();
  const auto machine = sets_.one_named(words[at]);
  if (!machine) return machine.error();
  if (!monitored_.contains(*machine)) return Error{fmt::format("events are not looked at on machine {}", *machine)};
  return std::vector<std::string>{*machine};
}

Outcome EventCommands::show_machines(const Words& words) {
  const auto machines = machines_for(words, 1);
  if (!machines) return console_.fail("show: " + machines.error().what);
  if (machines->empty()) {
    console_.say("events are looked at on no machine; 'define' or 'read' begins");
    return Outcome::done;
  }
  std::vector<std::vector<std::string>> rows = {
      {"machine", "definitions", "programs", "seen", "lost", "backlog most", "last", "longest ms"}};
  Outcome outcome = Outcome::done;
  for (const auto& [machine, state] : monitored_.states(*machines)) {
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
  for (const auto& state : monitored_.states(*machines)) {
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
  for (const std::string& machine : monitored_.all()) tell_wishes(machine);
  return say_complaints(monitored_.send()) == Outcome::done ? outcome : Outcome::failed;
}

Outcome EventCommands::stop(const Words& words) {
  const auto machines = machines_for(words, 0);
  if (!machines) return console_.fail("stop: " + machines.error().what);
  if (machines->empty()) return console_.fail("stop: events are looked at on no machine ('stopjob' stops a job)");
  const Outcome outcome = say_complaints(monitored_.end(*machines));
  for (const std::string& machine : *machines) {
    forget_machine(machine);
    stopped_.insert(machine);
  }
  place_all();
  say_complaints(monitored_.send());
  console_.say(fmt::format("events are not looked at any more on {}; the programs go on", listed(*machines)));
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
  if (!monitored_.all().empty()) monitored_.end(monitored_.all());
}

}  // namespace dpm::control

#include "control/controller/told_definitions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <dpm/monitor/actions.hpp>
#include <utility>

namespace dpm::control {

ToldDefinitions::ToldDefinitions(Machines& machines, const Computation& computation, const DefinitionTable& table,
                                 const EventLog& log, CentralEvaluation& central)
    : machines_(machines),
      computation_(computation),
      table_(table),
      log_(log),
      central_(central),
      monitored_(machines) {}

// Events may come before everything else is told: what waited for the parts of an earlier event of this name is of no use.
void ToldDefinitions::keep(const Definition& definition, const std::string& line) {
  texts_[{definition.kind, definition.number}] = line;
  if (definition.kind == Kind::high_level) central_.place(definition.number, false);
}

// Those of the computation, and those that events name; this one if there is none.
std::vector<std::string> ToldDefinitions::find_machines() {
  std::vector<std::string> complaints;
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
  if (!named.empty()) complaints = leave_this_machine(named);
  if (named.empty() && monitored_.all().empty() && table_.has_any(Kind::process)) named.emplace_back(kLocalMachine);
  for (const std::string& machine : named)
    if (!monitored_.contains(machine) && !stopped_.contains(machine)) {
      monitored_.add(machine);
      tell_everything(machine);
    }
  return complaints;
}

// It was made ready when a process was defined. No event came, and now there are machines that it can be about.
std::vector<std::string> ToldDefinitions::leave_this_machine(const std::vector<std::string>& named) {
  const std::string here(kLocalMachine);
  if (!monitored_.contains(here) || std::find(named.begin(), named.end(), here) != named.end()) return {};
  if (std::any_of(told_.begin(), told_.end(), [&](const auto& told) { return told.second.contains(here); })) return {};
  std::vector<std::string> complaints = monitored_.end({here});
  forget_machine(here);
  return complaints;
}

void ToldDefinitions::forget_machine(const std::string& machine) {
  monitored_.remove(machine);
  wishes_.erase(machine);
  for (auto& [event, told] : told_) told.erase(machine);
}

void ToldDefinitions::tell_everything(const std::string& machine) {
  tell_wishes(machine);
  for (const std::string& name : table_.names(Kind::process))
    monitored_.tell(machine, "define " + texts_.at({Kind::process, table_.find(Kind::process, name)->number}));
  for (const std::string& name : table_.names(Kind::event)) tell_event(table_.find(Kind::event, name)->number);
}

void ToldDefinitions::tell_wishes(const std::string& machine) {
  const bool needs_all = log_.wants_all() || std::any_of(homes_.begin(), homes_.end(),
                                                         [](const auto& home) { return home.second.empty(); });
  const std::string wish = needs_all ? "send all" : "send high-level";
  if (std::exchange(wishes_[machine], wish) != wish) monitored_.tell(machine, wish);
}

void ToldDefinitions::tell(const Definition& definition) {
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
void ToldDefinitions::tell_event(std::size_t number) {
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

std::string ToldDefinitions::event_text(std::size_t number) const {
  const EventDefinition& event = table_.script().events[number];
  return fmt::format("event {} is {} on {} at *.{}.{}", event.name,
                     event.meter_event ? name_of(*event.meter_event) : monitor::kActionNames[event.action].name,
                     event.object, table_.script().processes[event.process].name, event.function);
}

std::vector<std::string> ToldDefinitions::machines_of(const Definition& definition) const {
  if (definition.kind == Kind::process) return monitored_.all();
  std::vector<std::size_t> events;
  if (definition.kind == Kind::event) events = {definition.number};
  if (definition.kind == Kind::high_level) events = primitive_events_of(table_.script().high_level[definition.number]);
  if (definition.kind == Kind::region) {
    const RegionDefinition& region = table_.script().regions[definition.number];
    events = {region.begin.event, region.end.event};
  }
  std::vector<std::string> machines = monitored_.all();
  std::erase_if(machines, [&](const std::string& machine) {
    return std::none_of(events.begin(), events.end(), [&](std::size_t event) {
      const auto told = told_.find(event);
      return told != told_.end() && told->second.contains(machine);
    });
  });
  return machines;
}

// The only machine on which its parts can happen; "": here.
std::string ToldDefinitions::home_of(std::size_t number) const {
  std::set<std::string> machines;
  for (const std::size_t event : primitive_events_of(table_.script().high_level[number]))
    if (const auto told = told_.find(event); told != told_.end())
      machines.insert(told->second.begin(), told->second.end());
  const bool is_one = machines.size() == 1 && monitored_.contains(*machines.begin());
  return is_one ? *machines.begin() : "";
}

void ToldDefinitions::place(std::size_t number, bool is_another) {
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

void ToldDefinitions::place_all() {
  const EventScript& script = table_.script();
  for (std::size_t e = 0; e < script.events.size(); ++e)
    if (script.events[e].is_defined && script.events[e].machine == "*" && told_[e].size() != monitored_.all().size())
      tell_event(e);
  for (std::size_t h = 0; h < script.high_level.size(); ++h)
    if (script.high_level[h].is_defined) place(h, false);
  tell_wishes();
}

void ToldDefinitions::tell_wishes() {
  for (const std::string& machine : monitored_.all()) tell_wishes(machine);
}

void ToldDefinitions::stop(const std::string& machine) {
  forget_machine(machine);
  stopped_.insert(machine);
}

}  // namespace dpm::control

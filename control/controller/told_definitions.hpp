// Which machine has been told which definitions of events, and which machine evaluates which high-level event: the one on which all
// its parts happen, or else the controller (S3 4.1.7).
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "control/controller/central_evaluation.hpp"
#include "control/controller/computation.hpp"
#include "control/controller/event_log.hpp"
#include "control/controller/event_machines.hpp"
#include "control/controller/machines.hpp"
#include "filter/scripts/definition_table.hpp"

namespace dpm::control {

class ToldDefinitions {
 public:
  using Definition = DefinitionTable::Definition;

  // All must outlive it.
  ToldDefinitions(Machines& machines, const Computation& computation, const DefinitionTable& table, const EventLog& log,
                  CentralEvaluation& central);

  // The definition is in the table, as this line.
  void keep(const Definition& definition, const std::string& line);
  // It is not in the table any more.
  void forget(const Definition& definition) { texts_.erase({definition.kind, definition.number}); }
  const std::string& text_of(const Definition& definition) const {
    return texts_.at({definition.kind, definition.number});
  }

  // Nothing below goes to machines before monitored().send().
  EventMachines& monitored() { return monitored_; }
  // Looks for machines of the computation, and those that events name; this one if there is none. Those that are new are told
  // everything. Returns complaints.
  std::vector<std::string> find_machines();
  void tell(const Definition& definition);
  // Places high-level events again, if what is known of machines has changed.
  void place_all();
  void tell_wishes();

  // The machines that have an event.
  const std::set<std::string>& told(std::size_t event) { return told_[event]; }
  // The machines that the definition is about, among those that are monitored.
  std::vector<std::string> machines_of(const Definition& definition) const;
  // "": a high-level event is evaluated here.
  const std::string& home(std::size_t high_level) const { return homes_.at(high_level); }

  // The user does not want events of it until the next definition.
  void stop(const std::string& machine);
  void forget_stops() { stopped_.clear(); }

 private:
  std::vector<std::string> leave_this_machine(const std::vector<std::string>& named);
  void forget_machine(const std::string& machine);
  void tell_everything(const std::string& machine);
  void tell_event(std::size_t event);
  void tell_wishes(const std::string& machine);
  void place(std::size_t high_level, bool is_another);
  std::string home_of(std::size_t high_level) const;
  std::string event_text(std::size_t event) const;

  using Kind = DefinitionTable::Kind;

  Machines& machines_;
  const Computation& computation_;
  const DefinitionTable& table_;
  const EventLog& log_;
  CentralEvaluation& central_;
  EventMachines monitored_;
  std::map<std::pair<Kind, std::size_t>, std::string> texts_;  // lines, as they were typed
  std::map<std::size_t, std::string> homes_;                   // of high-level events: a machine, or "" for here
  std::map<std::size_t, std::set<std::string>> told_;          // of events: machines that have them
  std::map<std::string, std::string> wishes_;                  // by machine: "send all" or "send high-level"
  std::set<std::string> stopped_;                              // by the user, until the next definition
};

}  // namespace dpm::control

// The console of events inside programs (S3 appendix A): define, undefine, read, show, remote, log, stop, ps.
//
// The master table of definitions is here; each machine's event monitor has those that concern it. A high-level event whose parts
// are all on one machine is evaluated there, any other here.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "control/controller/central_evaluation.hpp"
#include "control/controller/computation.hpp"
#include "control/controller/event_actions.hpp"
#include "control/controller/event_log.hpp"
#include "control/controller/event_machines.hpp"
#include "control/controller/event_terminal.hpp"
#include "control/controller/job_commands.hpp"
#include "control/controller/machine_sets.hpp"
#include "control/controller/told_definitions.hpp"
#include "filter/scripts/definition_table.hpp"

namespace dpm::control {

struct EventSettings {
  std::function<Result<Lines>(const Words&)> run_ps;  // null: there is none
  std::function<std::int64_t()> now_ns = [] {
    return std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count();
  };
  std::optional<EventTerminal> terminal;  // none: events are shown on the console
};

class EventCommands {
 public:
  EventCommands(Machines& machines, Console& console, Computation& computation, Reports& reports,
                const MachineSets& sets, JobCommands& jobs, EventSettings settings);

  // A line of an event script.
  Outcome define(std::string_view line);
  Outcome undefine(const Words& words);
  Outcome read(const std::string& file);
  Outcome show(const Words& words);
  Outcome remote(const Words& words);
  Outcome log(const Words& words);
  Outcome stop(const Words& words);
  Outcome ps(const Words& words);

  // After a command that may have brought machines into the computation.
  void reach_new_machines();
  // The controller is left: all event monitors end.
  void end();

 private:
  using Definition = DefinitionTable::Definition;
  using Kind = DefinitionTable::Kind;

  void take(const std::string& machine, const EventsSeen& seen);
  void take_central();

  Outcome say_complaints(const std::vector<std::string>& complaints);
  std::string described(const Definition& definition) const;
  Result<std::vector<std::string>> machines_for(const Words& words, std::size_t at);
  Outcome show_definitions(const Words& words);
  Outcome show_support(const Words& words);
  Outcome show_machines(const Words& words);
  Lines lines_of(const EventMachines::State& state, const std::string& kind) const;

  Console& console_;
  const MachineSets& sets_;
  EventSettings settings_;
  DefinitionTable table_;
  EventLog log_;
  CentralEvaluation central_;
  ToldDefinitions told_;
  EventActions actions_;
};

}  // namespace dpm::control

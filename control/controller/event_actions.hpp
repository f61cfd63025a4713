// What happens when a high-level event has happened: switches events on and off, stops a job, sets its flags.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "control/controller/computation.hpp"
#include "control/controller/console.hpp"
#include "control/controller/job_commands.hpp"
#include "control/controller/told_definitions.hpp"
#include "filter/scripts/event_script.hpp"

namespace dpm::control {

class EventActions {
 public:
  // All must outlive it.
  EventActions(Console& console, Computation& computation, const EventScript& script, JobCommands& jobs,
               ToldDefinitions& told)
      : console_(console), computation_(computation), script_(script), jobs_(jobs), told_(told) {}

  // `event` has happened, with its first part in process `pid`. What a machine evaluates, it switches by itself: `is_central` is
  // what was evaluated here.
  void note(const HighLevelEvent& event, const std::string& machine, std::uint32_t pid, bool is_central);
  // When questions may be asked.
  void perform_noted();

 private:
  void perform(const HighLevelAction& action, const std::string& machine, std::uint32_t pid);

  struct Pending {
    HighLevelAction action;
    std::string machine;
    std::uint32_t pid = 0;
  };
  Console& console_;
  Computation& computation_;
  const EventScript& script_;
  JobCommands& jobs_;
  ToldDefinitions& told_;
  std::vector<Pending> pending_;
  bool is_performing_ = false;
};

}  // namespace dpm::control

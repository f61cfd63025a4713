// What a process needs to take part in a native run, and how its program leaves it.
#pragma once

#include <string>
#include <vector>

#include "model/misuse.hpp"
#include "model/scenario.hpp"
#include "scenarios/native/board.hpp"
#include "scenarios/native/frame.hpp"
#include "scenarios/native/journal.hpp"

namespace dpm::native {

// Ends a process from inside: STOPTASK.
struct StopTask {};

struct Membership {
  const Scenario& scenario;
  std::uint32_t process;  // its number in the scenario
  BoardRow& row;
  const Journal& journal;
  RunIdentity run;
  std::vector<std::uint16_t> ports;  // of every process, and of the process manager
  bool modelled_work = false;

  // The process manager has the number after those of the scenario.
  std::uint32_t process_manager() const { return static_cast<std::uint32_t>(scenario.processes.size()); }
  const ProcessDescription& description() const { return scenario.processes.at(process); }
  [[noreturn]] void misuse(const char* call, const std::string& what) const;
};

}  // namespace dpm::native

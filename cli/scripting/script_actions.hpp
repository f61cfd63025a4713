// What a high-level event does when it happens, in the programs of this machine: events on and off, meter flags, stop.
#pragma once

#include <string>
#include <vector>

#include "cli/scripting/script_watch.hpp"
#include "filter/scripts/event_evaluator.hpp"

namespace dpm::cli {

class ScriptActions {
 public:
  // The watch must outlive it.
  explicit ScriptActions(ScriptWatch& watch) : watch_(watch) {}

  // Says what was done, and what was not and why.
  std::vector<std::string> perform(const HighLevelOccurrence& found);

 private:
  std::string stop() const;
  std::vector<std::string> set_flags(const HighLevelOccurrence& found, const std::string& flags) const;

  ScriptWatch& watch_;
};

}  // namespace dpm::cli

// The definitions that are in force on one machine (S3 4.3), at work on its programs.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/scripting/live_evaluation.hpp"
#include "cli/scripting/script_watch.hpp"
#include "control/protocol/control_message.hpp"
#include "filter/scripts/definition_table.hpp"

namespace dpm::cli {

class EventMonitor {
 public:
  EventMonitor(ProgramFolder folder, const std::string& machine);
  EventMonitor(const EventMonitor&) = delete;

  control::ReplyBody change(const control::ChangeEvents& request);
  control::EventsState state() const;

  // Looks at the programs once. Nothing that is older than `before_ns` will come.
  control::EventsSeen look(std::int64_t before_ns);
  // Readable when it is worth looking before the next pause is over.
  int descriptor() const { return watch_.descriptor(); }

 private:
  std::string perform(std::string_view change);  // why not, or ""
  std::string define(std::string_view line);
  std::string undefine(std::string_view what);
  std::string switch_event(std::string_view name, bool is_on);
  void apply(const DefinitionTable::Definition& definition);
  std::vector<std::string> act(const HighLevelOccurrence& found);
  void keep(const HighLevelOccurrence& found, const std::string& text);

  DefinitionTable table_;
  ScriptWatch watch_;
  control::EventsSeen seen_;
  LiveEvaluation evaluation_;
  bool sends_all_ = true;
};

}  // namespace dpm::cli

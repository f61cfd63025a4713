// Event scripts (S3 2.1 to 2.3): which events of which processes are wanted.
//
//   script  = { line }
//   line    = "#" comment | process | event | region | high-level | nothing
//   process = "process" NAME "from" PROGRAM [ "[" COUNT "]" ]
//   event   = "event" NAME "is" ACTION "on" OBJECT "at" MACHINE "." PROCESS "." FUNCTION
//
// COUNT chooses the process that is started as that one from the file PROGRAM, counted from 1 (a specific definition);
// without it every process of PROGRAM is meant (a general one). MACHINE is "*" for every machine. A process is defined before
// the events that refer to it. ACTION is one of libdpm/actions.hpp, or an event of the meter by its name in capitals (ACCEPT,
// SEND, ...), whose OBJECT is "*"; FUNCTION may be "*" there. What "region" and "high-level" are says high_level_event.hpp.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "filter/scripts/high_level_event.hpp"
#include "model/event.hpp"
#include "model/result.hpp"

namespace dpm {

struct ProcessDefinition {
  std::string name, program;
  std::uint32_t count = 0;  // 0: every process of the program
  std::size_t line = 0;
  bool is_defined = true;
};

struct EventDefinition {
  std::string name;
  std::size_t action = 0;                // in monitor::kActionNames
  std::optional<EventType> meter_event;  // instead of it
  std::string object, machine, function;
  std::size_t process = 0;  // in EventScript::processes
  std::size_t line = 0;
  bool is_defined = true;
};

// What is undefined later (definition_table.hpp) keeps its place, and is not defined.
struct EventScript {
  std::vector<ProcessDefinition> processes;
  std::vector<EventDefinition> events;
  std::vector<RegionDefinition> regions;
  std::deque<HighLevelEvent> high_level;  // evaluators refer to them
};

// `file` names the text in messages: "FILE:LINE:COLUMN: ...".
Result<EventScript> parse_event_script(const std::string& file, std::string_view text);

// Whether the definition means this process: the `count`th that was started from `program` on `machine`.
bool is_meant(const EventScript& script, const EventDefinition& event, std::string_view machine,
              std::string_view program, std::uint32_t count);
bool is_on_machine(const EventDefinition& event, std::string_view machine);

}  // namespace dpm

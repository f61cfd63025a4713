// What `dpm events --script` says about a trace: its high-level events, or which regions could have been at once.
#pragma once

#include "answers/results/event_list.hpp"
#include "filter/scripts/event_script.hpp"
#include "text/terminal.hpp"

namespace dpm::cli {

// Machines without a common time have no message between them either: each group of them is looked at by itself.
void print_high_level(const EventScript& script, const EventList& list, bool as_json, Terminal& terminal);

// `a` and `b` in EventScript::regions.
void print_at_once(const EventScript& script, std::size_t a, std::size_t b, const EventList& list, bool as_json,
                   Terminal& terminal);

// The states at the cut that has what came until the process's `count`-th event, in the order of the list.
// False if it has no such event.
bool print_snapshot(ProcessId process, std::uint32_t count, const EventList& list, bool as_json, Terminal& terminal);

}  // namespace dpm::cli

// The states of a process under control (metering report 4.2, figure 4.2):
//
//              startjob                 ended
//        new ───────────► running ───────────────► killed
//         │              ▲      │                    ▲
//         │     startjob │      │ stopjob            │
//         └──────────► stopped ◄┘ ───────────────────┘
//          stopjob              removejob, removeprocess            acquired: always
//
// No arrow leads from new to killed: a process that is killed from outside before it began was stopped in between. We
// cannot stop or kill an acquired process; its end is recorded, but is not a state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "control/protocol/control_message.hpp"

namespace dpm::control {

enum class Action { start, stop, remove };

// The arrows of the figure.
bool may_become(ProcessState from, ProcessState to);

// The state after the user's action; nothing if it is not permitted. `remove` does not change the state of a killed or
// acquired process, which is forgotten or let go.
std::optional<ProcessState> after(Action action, ProcessState state);

// The states from `state`, which is not included, to `reported`: none if nothing changes or the report is impossible.
std::vector<ProcessState> way_to(ProcessState reported, ProcessState state);

}  // namespace dpm::control

// The life of a process under control (metering report 4.2, figure 4.2), and nothing beyond it:
//
//              startjob                 ended
//        new ───────────► running ───────────────► killed
//         │              ▲      │                    ▲
//         │     startjob │      │ stopjob            │
//         └──────────► stopped ◄┘ ───────────────────┘
//          stopjob              removejob, removeprocess            acquired: for ever
//
// There is no way from new to killed: what is killed from outside before it began has passed through stopped, where it
// was in fact. An acquired process cannot be stopped or killed by us; that it ended is a fact about it, not a state.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "backends/linux/remote/protocol/control_message.hpp"

namespace dpm::control {

enum class Action { start, stop, remove };

// The arrows of the figure.
bool may_become(ProcessState from, ProcessState to);

// What the user's action makes of a process; nothing when it is not permitted. `remove` of a killed or an acquired one
// changes no state: it is forgotten or let go.
std::optional<ProcessState> after(Action action, ProcessState state);

// The states it passes through when its machine reports `reported`, without `state` itself: none when nothing changes
// or the report cannot be.
std::vector<ProcessState> way_to(ProcessState reported, ProcessState state);

}  // namespace dpm::control

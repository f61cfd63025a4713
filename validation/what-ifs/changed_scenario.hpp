// A scenario with a change: what a what-if of the same words must predict, simulated. It shares no code with
// analysis/prediction/what_if.hpp, which it checks.
#pragma once

#include <string>
#include <vector>

#include "model/scenario.hpp"

namespace dpm::validation {

// Everything the process computes takes 1 / factor of the time.
void speed_up(Scenario& scenario, const std::string& process, double factor);

// Messages between the two machines, either way, take `factor` times as long.
void lengthen_link(Scenario& scenario, const std::string& machine_a, const std::string& machine_b, double factor);

void give_cores(Scenario& scenario, const std::string& machine, std::uint16_t cores);

// Processes of this program, when they write to one of the group, write to each of it in turn. Only for programs
// written in scenario files.
void take_turns(Scenario& scenario, const std::string& program, const std::vector<std::string>& group);

// Every process in the group draws what `name` would: the draws of a process that reacts to the message alone are made
// from message and name, and a copy of a server must do with a request what the server would have done.
void draw_alike(Scenario& scenario, const std::vector<std::string>& group, const std::string& name);

}  // namespace dpm::validation

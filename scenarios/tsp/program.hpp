// The travelling salesman as a distributed computation (thesis 5.3.3): a controller that divides and decides, and
// servers that evaluate pieces. Two programs: "controller" (one process) and "server" (processes server_1, server_2,
// ...).
//
//             MATRIX once, then PIECE, PIECE, ...             levels:   |7 pieces| decide |6 pieces| decide | ...
//   controller ------------------------------> server k                  a level ends when all its results are in
//       ^                                         |
//       `------------------ RESULT <--------------'
//
// The controller gives the next piece to whichever server answers, so who computes what depends on the placement. What
// is computed does not: a decision waits for all results of its level, so T is the same in every placement.
//
// Parameters out of range end the controller with std::invalid_argument, which names parameter and range.
#pragma once

#include <functional>
#include <vector>

#include "model/program.hpp"
#include "scenarios/tsp/little_solver.hpp"

namespace dpm::scenarios::tsp {

std::vector<ProgramDescription> programs();

// The controller with an ear for its result, for tests of this program alone. (A run prints the tour as well.)
Program make_controller(const Parameters& parameters, std::function<void(const Tour&)> on_result);

}  // namespace dpm::scenarios::tsp

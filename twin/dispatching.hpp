// A process that hands out tasks: it has several in flight, and a process that has answered gets the next.
//
//   T T T  R T  R T  R T  R R R  | T T T ...      T a task sent, R its answer; | nothing in flight: a round has ended
//
// Recognised by its operations alone: it speaks first, hears from one group only, has more than one task in flight, and
// after an answer sends one task to the process that answered, or no more tasks until the round ends.
#pragma once

#include <optional>

#include "twin/shapes.hpp"

namespace dpm::twin {

// The start steps of such a process, which are all it does; empty if it does not dispatch.
std::optional<Steps> find_dispatching(const Material& material, std::uint32_t process,
                                      std::vector<std::string>& warnings);

}  // namespace dpm::twin

// A process that hands out tasks: it has several in flight, and who has answered gets the next.
//
//   T T T  R T  R T  R T  R R R  | T T T ...      T a task sent, R its answer; | nothing in flight: a round has ended
//
// Recognised by its ops alone: it speaks first, hears from one group only, has more than one task in flight, and after
// an answer sends one task to who answered, or none any more until the round ends.
#pragma once

#include <optional>

#include "twin/shapes.hpp"

namespace dpm::twin {

// The start steps of such a process, all its life; nothing if it is none.
std::optional<Steps> find_dispatching(const Material& material, std::uint32_t process,
                                      std::vector<std::string>& warnings);

}  // namespace dpm::twin

// The program of a group, from what its members did: its start, what it does on each kind of message, and how many
// requests it takes at a time.
#pragma once

#include "twin/handlers.hpp"

namespace dpm::twin {

// Fills in the program of `twin`, and how many activities it does not perform as they were.
void make_program(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                  std::vector<std::string>& warnings);

}  // namespace dpm::twin

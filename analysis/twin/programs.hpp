// The program of a group: its start and what it does on each kind of message, from what its members did.
#pragma once

#include "analysis/twin/shapes.hpp"

namespace dpm::twin {

struct ProgramContext {
  bool closed_loop = false;  // somebody waits for answers before it ends: services need no end of their own
};

// Fills in the program of `twin` and how well it is understood.
void make_program(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                  std::vector<std::string>& warnings);

// Tells messages apart by size where the size decides what their receiver does. True if any are now.
bool tell_kinds_by_size(const Recording& recording, const Groups& groups, const Conducts& conducts, Kinds& kinds);

}  // namespace dpm::twin

// What a group does on each kind of message, from what its members did: any of the forms seen, every so many messages
// another, first this and then that, and when it ends.
#pragma once

#include "twin/shapes.hpp"

namespace dpm::twin {

struct ProgramContext {
  bool closed_loop = false;  // who asks waits for answers before it ends: a service of theirs needs no end of its own
};

// Fills in the handlers of `twin`.
void write_handlers(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                    std::vector<std::string>& warnings);

}  // namespace dpm::twin

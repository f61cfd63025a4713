// What a group does on each kind of message, from what its members did: any of the forms seen, every n-th time another,
// phases one after the other, and when it ends.
#pragma once

#include "twin/shapes.hpp"

namespace dpm::twin {

struct ProgramContext {
  bool closed_loop = false;  // its clients wait for answers before they end: their service needs no end of its own
};

// Fills in the handlers of `twin`.
void write_handlers(const Material& material, const Group& group, const ProgramContext& context, TwinGroup& twin,
                    std::vector<std::string>& warnings);

}  // namespace dpm::twin

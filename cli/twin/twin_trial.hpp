// A twin that has been run: made from a trace, simulated, and held against it. Processes whose behaviour does not
// reproduce what they did are written as recorded, and the twin is run again.
#pragma once

#include "cli/terminal.hpp"
#include "twin/reproduction.hpp"
#include "twin/twin.hpp"

namespace dpm::cli {

struct TwinTrial {
  twin::Twin twin;
  twin::Reproduction reproduction;
  std::size_t runs = 0;
};

// Simulates the twin once. Why a run did not come to its end is in the result, not an error.
twin::TwinRun run_twin(const twin::Twin& twin);

// The first twin that reproduces what `bounds` ask for and comes to its end; if none does, the best of those tried.
Result<TwinTrial> try_twin(const twin::Recording& recording, twin::TwinOptions options, const twin::Bounds& bounds,
                           const Say& say);

}  // namespace dpm::cli

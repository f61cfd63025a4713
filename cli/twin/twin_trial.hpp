// Makes a twin from a trace, simulates it, and compares the run with the trace. Processes whose inferred behaviour does
// not reproduce the trace are written as recorded, and the twin is run again.
#pragma once

#include "text/terminal.hpp"
#include "twin/reproduction.hpp"
#include "twin/twin.hpp"

namespace dpm::cli {

struct TwinTrial {
  twin::Twin twin;
  twin::Reproduction reproduction;
  std::size_t runs = 0;
};

// Simulates the twin once. If the run does not end well, the result says why; that is not an error.
twin::TwinRun run_twin(const twin::Twin& twin);

// The first twin that ends well and reproduces what `bounds` require; if there is none, the best one that was tried.
Result<TwinTrial> try_twin(const twin::Recording& recording, twin::TwinOptions options, const twin::Bounds& bounds,
                           const Say& say);

}  // namespace dpm::cli

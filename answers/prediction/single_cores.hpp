// `dpm predict --search --onto cores`: treats each core of the traced machine as a machine, so that a search over the
// cores needs no file.
#pragma once

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"
#include "analysis/prediction/search.hpp"
#include "model/result.hpp"

namespace dpm::cli {

// Replaces "cores" (all cores of the machine) or "cores=N" in `options.machines` by core0, core1, ..., and adds the
// missing ones to `base`: one core each, as fast as the machine. Processes that do not move are then on core0, because
// the machine itself would be an additional core. Refuses a computation on several machines.
Result<void> make_single_cores(const History& history, Target& base, SearchOptions& options);

}  // namespace dpm::cli

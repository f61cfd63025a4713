// `dpm predict --search --onto cores`: the cores of the traced machine as machines of their own, so that a search over
// them needs no file.
#pragma once

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"
#include "analysis/prediction/search.hpp"
#include "model/result.hpp"

namespace dpm::cli {

// Puts core0, core1, ... in the place of "cores" (as many as the machine has) or "cores=N" among `options.machines`, and
// adds to `base` those that it does not have: of one core each, as fast as the machine. Processes that do not move are
// then on core0, because the machine itself would be one more core. Refuses a computation on several machines.
Result<void> make_single_cores(const History& history, Target& base, SearchOptions& options);

}  // namespace dpm::cli

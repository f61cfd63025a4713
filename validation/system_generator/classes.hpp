// The classes of random systems: each draws programs and processes into a draft. One file each.
#pragma once

#include "validation/program_generator/draft.hpp"

namespace dpm::validation {

void draw_turns(Draft& draft);
void draw_limits(Draft& draft);
void draw_least_busy(Draft& draft);
void draw_batches(Draft& draft);
void draw_priorities(Draft& draft);
void draw_timeouts(Draft& draft);
void draw_caches(Draft& draft);
void draw_mixed_system(Draft& draft);

}  // namespace dpm::validation

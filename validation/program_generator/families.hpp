// The families of random programs: each draws programs and processes into a draft. One file each.
#pragma once

#include "validation/program_generator/draft.hpp"

namespace dpm::validation {

void draw_client_server(Draft& draft);
void draw_pipeline(Draft& draft);
void draw_dispatcher_worker(Draft& draft);
void draw_peer_to_peer(Draft& draft);
void draw_mixed(Draft& draft);

}  // namespace dpm::validation

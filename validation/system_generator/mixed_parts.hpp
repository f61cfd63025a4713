// Parts that one class is about and mixed systems take too.
#pragma once

#include "validation/system_generator/parts.hpp"

namespace dpm::validation {

// ---- timeouts.cpp

// Seconds: a multiple of the system's scale, and what is added to it. Never zero.
double timeout(Draft& draft, double scale, double added_s);
// How long one of these clients waits for one of these servers.
double timeout_for(Draft& draft, std::uint64_t clients, std::uint64_t servers);
// Clients, named "client", that call again when no answer has come in time, and at last give up.
void add_impatient_clients(Draft& draft, const Load& load, const Asked& asked, double timeout_s);

// ---- caches.cpp

// Back ends read one of `items` in each "read", and ask the process "store" only for those that they do not remember.
void remember_reads(Draft& draft, Json& back_ends, std::uint64_t items);
void add_slow_store(Draft& draft);

// ---- batches.cpp

// A collector of "note" messages: it sends a batch to the process "archive", which it adds, when enough notes are there
// or none has come for some time.
void add_note_collector(Draft& draft);

}  // namespace dpm::validation

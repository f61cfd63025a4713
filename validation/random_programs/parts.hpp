// Parts of random programs that more than one family is made of.
#pragma once

#include "validation/random_programs/draft.hpp"

namespace dpm::validation {

// A dispatcher with workers of its own, who ask `asked` now and then unless it is empty.
void add_dispatcher_and_workers(Draft& draft, const std::string& name, const std::string& workers,
                                const std::string& asked);

// Whom workers ask.
void add_asked_store(Draft& draft, const std::string& name);

}  // namespace dpm::validation

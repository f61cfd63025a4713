// Parts of random programs that more than one family is made of.
#pragma once

#include "validation/program_generator/draft.hpp"

namespace dpm::validation {

// A dispatcher with its own workers, which sometimes ask `asked` unless it is empty.
void add_dispatcher_and_workers(Draft& draft, const std::string& name, const std::string& workers,
                                const std::string& asked);

// The process that workers ask.
void add_asked_store(Draft& draft, const std::string& name);

}  // namespace dpm::validation

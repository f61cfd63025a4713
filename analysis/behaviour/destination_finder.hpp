// Recognises processes that choose destinations by what they remember (analysis/history/destinations.hpp), for each choice:
// a balancer may take turns for what it reads, by another count for what it writes, and choose otherwise elsewhere.
//
// A choice is the SENDs of a process to the processes of one program, all of which begin pieces of work there; if no rule
// explains these together (destination_rules.hpp), those alike: after a message of one size, or of one size themselves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/destinations.hpp"

namespace dpm {

struct FoundChoices {
  DestinationChoices known;  // in turn, or to the least busy
  // These, and those of which the trace does not show how they were made.
  DestinationChoices all;
};

// By process. `has_order`: another order of messages can change what it does. `settled`: it has a role or counts, and so
// neither chooses nor is chosen here. Members need find_server_work().
FoundChoices find_choices(const History& history, const std::vector<bool>& has_order, const std::vector<bool>& settled);

// "send to back_1, back_2, back_3 in turn, 240 times: ..."
// `times`: by all processes that choose so.
std::string reason_of(const DestinationChoice& choice, std::size_t times, const History& history);

}  // namespace dpm

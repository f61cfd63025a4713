// Recognises processes that choose destinations in turn (analysis/history/round_robin.hpp), for each choice: a balancer
// may take turns for what it reads, by another count for what it writes, and choose otherwise elsewhere.
//
// A choice is the SENDs of a process to the processes of one program that begin pieces of work there; if these are not in
// turn together, those alike: after a message of one size, or of one size themselves. They are in turn if the first n go
// to n processes, and each later one goes where the n-th before it went, without exception. What a choice by the message
// looks like (a key, a random number) is not in turn, and stays with the message.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "analysis/history/round_robin.hpp"

namespace dpm {

struct Choices {
  RoundRobins in_turn;
  // Those in turn, and those of which the trace does not show how they were made: neither in turn, nor by the sender or
  // the size of the message handled. The members of these are all receivers, in the order of the trace.
  RoundRobins open;
};

// By process. `has_order`: another order of messages can change what it does. `settled`: it has a role or counts, and so
// neither chooses in turn nor is a member. Members need find_server_work().
Choices find_choices(const History& history, const std::vector<bool>& has_order, const std::vector<bool>& settled);

// "send to back_1, back_2, back_3 in turn, 240 times"
std::string reason_of(const RoundRobin& round, const History& history);

}  // namespace dpm

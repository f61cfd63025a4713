// The programs on which the what-ifs are tried, and the changes to them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "analysis/history/replay.hpp"
#include "analysis/prediction/what_if.hpp"
#include "validation/common/traced_run.hpp"

namespace dpm::validation {

// One program in one placement, simulated and traced.
struct TriedSystem {
  std::string name;
  TracedRun run;
  std::optional<Order> order;  // empty: what the predictor chooses by itself
  enum class Memory : std::uint8_t {
    none,   // every process does for a message what follows from the message alone, or hands out work and is known to
    cache,  // the file system's, whose hits depend on what came before
    programs,  // random programs that count, take turns, or draw as they go along
  };
  Memory memory = Memory::programs;
};

// A change in words for the predictor, and as a function on the scenario.
struct TriedChange {
  enum class Kind : std::uint8_t { speed, link, cores, together } kind = Kind::speed;
  std::string words;
  WhatIf what_if;
  std::function<void(Scenario&)> make;
};

// The file system, the travelling salesman and `programs` random programs, each in a placement of its own.
std::vector<std::function<TriedSystem()>> tried_systems(std::uint64_t programs, bool quick);

// The busiest process twice as fast, the slowest link a quarter, and so on; all of them together.
std::vector<TriedChange> changes_of(const TriedSystem& system, std::uint64_t seed);

// A server that remembers nothing, with clients that write to it: one of it traced, several simulated.
struct TriedReplicas {
  std::string name;
  TracedRun traced, simulated;
  WhatIf what_if;
  bool message_driven = false;  // so are all the others in the program
};

// `driven` of programs in which every process reacts to the message alone, the shipped replicated service among them,
// and up to half as many random programs in which processes remember.
std::vector<std::function<TriedReplicas()>> tried_replicas(std::uint64_t driven);

}  // namespace dpm::validation

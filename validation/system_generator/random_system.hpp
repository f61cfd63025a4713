// Random service systems: declarative scenarios (docs/scenarios.md) drawn from a seed, of eight classes. They are what
// people deploy; validation/program_generator draws programs by the shape of their messages instead.
//
//   turns       requests go to back ends in turn, from clients, balancers or front ends; machines or costs are unequal
//   limits      gateways that admit a number of requests at a time, servers whose queue is bounded, in one tier or two
//   least_busy  the back end that owes the fewest answers gets the request, or the shard to which its key belongs
//   batches     items are collected and sent on together: when enough are there, on a timer, or at the end
//   priorities  urgent requests before ordinary ones: at the server, at the gateway, or by a scheduler
//   timeouts    retries, partial answers, and defaults when an answer does not come in time
//   caches      servers that remember items and ask a store for what they miss; entries end by use or by writes
//   mixed       two or three of these in one system
//
// A system is a function of its seed: the same text on every machine. Every one loads, has 4 to 25 processes on 2 to 6
// machines, ends by itself in every placement (clients do a fixed number of requests), and has a few hundred to a few
// thousand messages. About 60 % of the CPU times are constant, each for its kind of request; the others are drawn.
// Clients compute between requests, as a load generator does, and do not sleep. Time without CPU time is in timers and
// timeouts, and in the pauses before retries of those systems whose variant names them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "scenarios/scenario_file.hpp"

namespace dpm::validation {

enum class SystemClass : std::uint8_t { turns, limits, least_busy, batches, priorities, timeouts, caches, mixed };

inline constexpr std::size_t kSystemClassCount = 8;

std::string_view name_of(SystemClass system_class);

struct RandomSystem {
  std::uint64_t seed = 0;
  SystemClass system_class = SystemClass::turns;
  std::string variant;  // what was drawn, in words: "6 clients, 3 back ends, in turn"
  std::string text;     // the scenario file
  ScenarioFile file;    // the same, loaded; `placement_names` has three or four placements

  std::string name() const;  // "#17 (turns: ...)", for remarks
};

// Classes alternate by seed, unless one is given. The seed of the scenario is the system's.
RandomSystem random_system(std::uint64_t seed, std::optional<SystemClass> system_class = std::nullopt);

}  // namespace dpm::validation

// Random programs: declarative scenarios (docs/scenarios.md) drawn from a seed, of five families. Claims about
// predictions are tried on them, because a predictor that is right for the file system and the travelling salesman may
// have been fitted to these two.
//
//   client_server      clients that think and ask; servers with one or two tiers, a balancer, or queries in between
//   pipeline           items pass through stages, some of them replicated or leaving items out
//   dispatcher_worker  tasks for free workers; in one bag or in levels, pushed or fetched, one dispatcher or two
//   peer_to_peer       rumours, exchanges between neighbours, look-ups, tokens on a ring
//   mixed              two of them in one program, or what is between them: a queue before a pool of workers
//
// A program is a function of its seed: the same text on every machine. Every one loads, ends by itself in every
// placement (one process counts what has to be done), and has a few hundred to a few thousand messages. About half of
// the processes react to the message alone ("per_request"); the others draw random numbers, alternate, count, or
// sometimes do something more expensive: they include on purpose what a prediction of another order cannot know.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scenarios/scenario_file.hpp"

namespace dpm::validation {

enum class Family : std::uint8_t { client_server, pipeline, dispatcher_worker, peer_to_peer, mixed };

inline constexpr std::size_t kFamilyCount = 5;

std::string_view name_of(Family family);

struct RandomProgram {
  std::uint64_t seed = 0;
  Family family = Family::client_server;
  std::string variant;  // what was drawn, in words: "6 clients, 2 servers that ask a store"
  std::string text;     // the scenario file
  ScenarioFile file;    // the same, loaded; `placement_names` has three or four placements

  std::string name() const;  // "#17 (dispatcher_worker: ...)", for remarks
};

// Families alternate by seed, unless one is given. The seed of the scenario is the program's.
RandomProgram random_program(std::uint64_t seed, std::optional<Family> family = std::nullopt);

}  // namespace dpm::validation

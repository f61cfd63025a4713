// Random systems of processes for property tests. What a process does on a message depends on the message alone, so
// every placement does the same work, and a prediction in arrival order can be exact.
#pragma once

#include <cstdint>

#include "tests/support/obvious_simulation.hpp"

namespace dpm::test {

struct RandomShape {
  std::uint32_t processes = 6;
  std::uint32_t machines = 4;
  std::uint32_t first_messages = 2;  // each process sends at its beginning
  std::uint32_t generations = 8;     // how long a message makes others follow
  bool constant_times = false;       // every computation takes the same: ties everywhere
  bool message_cpu = false;          // messages cost CPU time, by local and remote
  bool speeds = false;               // machines differ in speed
  bool cores = false;                // machines have up to four cores
  bool data = false;                 // MOVEDATA before some messages
  bool created = false;              // the last process is created by the first
};

ObviousSystem random_system(std::uint64_t seed, const RandomShape& shape);

// Clients that think and ask a server; the server asks a disk and waits for it alone, then answers.
ObviousSystem selective_server(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests, bool constant_times);

// Clients that think and ask a front; the front gives requests to two workers, and while they have `limit` of them it
// waits for answers alone. Which messages it waits for depends on how many are in progress, not on the last message.
ObviousSystem limited_server(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests, std::uint32_t limit);

// Urgent and ordinary clients that think and ask a server, which receives all requests that have come before it does one:
// the first of the urgent ones, or else the first. It asks a disk for some, and waits for it alone.
ObviousSystem preferring_server(std::uint64_t seed, std::uint32_t urgent, std::uint32_t ordinary,
                                std::uint32_t requests);

// Clients that think and ask a scheduler, which gives one worker one request at a time: of those that wait, that of the
// first client in their order. Taking a request costs the scheduler CPU time, whether the worker is free or not.
ObviousSystem scheduler(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests);

// Clients that think and ask one of two servers, which do not answer some requests: the client goes on after a time.
ObviousSystem impatient_clients(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests);

enum class Pick : std::uint8_t { in_turn, least_outstanding };

// Clients that think and ask a balancer, which gives requests to three back ends in turn, or to the one that owes it the
// fewest answers, of several to the next in turn; these ask a store and wait for it alone before they answer. `unequal`: every back end has its own constant time for a request; otherwise the request
// decides. Process 0 is the balancer, 1 to 3 are the back ends.
ObviousSystem balancer(std::uint64_t seed, std::uint32_t clients, std::uint32_t requests, Pick pick, bool unequal);

// A dispatcher with `outstanding` pieces of work at each of its workers; pieces differ in length, and the next goes to
// the worker that asks first. Process 0 is the dispatcher. Not order-oblivious, of course.
ObviousSystem dispatcher_and_workers(std::uint64_t seed, std::uint32_t workers, std::uint32_t pieces,
                                     std::uint32_t outstanding);

std::vector<MachineId> random_placement(std::uint64_t seed, const TraceInfo& info);

// The same delays for a test by hand: constant times whatever the size.
DelayModel constant_delays(double local_s, double remote_s);

}  // namespace dpm::test

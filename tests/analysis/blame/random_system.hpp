// Random simulated systems, and what their programs wrote down themselves.
//
// Each program prints when it begins and ends to compute, to sleep and to wait. The slow way asks at many instants, one after the
// other: what does the client wait for now, and what does that wait for? While k programs of a machine compute, each has 1/k
// of its CPU.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/blame/blame.hpp"
#include "model/random.hpp"
#include "tests/backends/sim/sim_fixture.hpp"

namespace dpm::testing {

struct RandomServer {
  std::string machine;
  std::int64_t compute_us = 0, sleep_us = 0;
  std::vector<std::size_t> asks;  // servers with larger numbers
};

inline constexpr std::uint32_t kClients = 2;  // the first of the servers

std::vector<RandomServer> random_servers(Random& random);
Outcome simulate(const std::vector<RandomServer>& servers);

using BlamePath = std::vector<std::size_t>;  // processes
using BlameShares = std::map<std::pair<BlamePath, BlamePart>, double>;

// Adds the shares of a tree in its whole.
void flatten(const BlameNode& node, BlamePath path, double whole_ns, BlameShares& shares);

class WrittenTruth {
 public:
  WrittenTruth(const std::vector<RandomServer>& servers, const SimTruth& truth);

  // What the last process of the path did then, and what those did that it waited for.
  void add(BlamePath path, std::int64_t at_ns, double weight, BlameShares& shares) const;
  // What a look at the process would have found: that it runs or queues, by lot.
  SampledState state_of(std::size_t self, std::int64_t at_ns, Random& random) const;

 private:
  // "C" computes, "Z" sleeps, "W 3" waits for an answer of 3, "I" for any request, "R 2" has got one of 2, "M 2" has sent
  // something to 2, "E" has ended.
  struct Change {
    std::int64_t at_ns = 0;
    char state = 'I';
    std::size_t other = 0;
  };

  std::size_t state_at(std::size_t self, std::int64_t at_ns) const;
  std::size_t computing_at(const std::string& machine, std::int64_t at_ns) const;
  void wait(BlamePath path, std::size_t other, std::int64_t at_ns, std::int64_t since_ns, double weight,
            BlameShares& shares) const;

  const std::vector<RandomServer>& servers_;
  std::vector<std::vector<Change>> changes_;
};

}  // namespace dpm::testing

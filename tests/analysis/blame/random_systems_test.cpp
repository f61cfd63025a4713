// Blame on random simulated systems, against what their programs wrote down themselves: exact, and from samples.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "model/share.hpp"
#include "tests/analysis/blame/random_system.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

using namespace testing;

struct Simulated {
  explicit Simulated(std::uint64_t seed) {
    Random random(seed);
    servers = random_servers(random);
    outcome = simulate(servers);
    REQUIRE(outcome.error == "");
    for (const Event& event : outcome.seen.events) times_ns.push_back(event.local_time.ns);
  }
  std::vector<RandomServer> servers;
  Outcome outcome;
  std::vector<std::int64_t> times_ns;
};

SampledStates samples_of(const Simulated& system, const WrittenTruth& truth, double interval_ns, Random& random) {
  SampledStates states;
  const auto [first, last] = std::minmax_element(system.times_ns.begin(), system.times_ns.end());
  for (double at = static_cast<double>(*first) + random.uniform(0, interval_ns); at < static_cast<double>(*last);
       at += interval_ns) {
    const std::int64_t at_ns = std::llround(at);
    states.begin_sample(at_ns);
    for (std::uint32_t p = 0; p < system.servers.size(); ++p)
      states.set(ProcessId{p}, truth.state_of(p, at_ns, random), at_ns);
  }
  return states;
}

}  // namespace

constexpr double kMargin = .01;

TEST_CASE("blame: on random systems it is what their programs wrote down", "[blame]") {
  constexpr int kInstants = 6000;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    INFO("seed " << seed);
    const Simulated system(seed);
    const auto& [servers, outcome, times_ns] = system;
    const TraceInfo& info = outcome.seen.info;
    const BlameAnalysis blame(outcome.seen.events, times_ns, info);
    const WrittenTruth truth(servers, outcome.truth);
    for (std::uint32_t client = 0; client < kClients; ++client) {
      const auto interval = blame.lifetime(ProcessId{client}).value();
      const BlameNode root = blame.divide(ProcessId{client}, interval);
      REQUIRE(root.total_ns() == interval.to_ns - interval.from_ns);
      BlameShares fast, slow;
      flatten(root, {}, static_cast<double>(root.total_ns()), fast);
      for (int i = 0; i < kInstants; ++i) {
        const double at = (i + .5) / kInstants * static_cast<double>(root.total_ns());
        truth.add({client}, interval.from_ns + std::llround(at), 1.0 / kInstants, slow);
      }
      for (const auto& [what, share] : slow) {
        INFO("process " << what.first.back() << " part " << static_cast<int>(what.second) << " depth "
                        << what.first.size());
        CHECK(fast[what] == Approx(share).margin(kMargin));
      }
      for (const auto& [what, share] : fast) CHECK(slow[what] == Approx(share).margin(kMargin));
    }
    // Each wait for the CPU has its rivals, and they are all.
    for (const ProcessTruth& process : outcome.truth.processes) {
      double named_ns = 0;
      for (const WaitCause& cause : info.wait_causes)
        if (info[cause.process].name == process.name) named_ns += static_cast<double>(cause.time_ns);
      CHECK(named_ns == Approx(static_cast<double>(process.ready_time_ns)).margin(1e5));
    }
  }
}

// The trace is read as if it had not got the times of waiting: only its messages and the samples count.
TEST_CASE("blame: from samples, the exact parts are within their intervals in 95 of 100 cases", "[blame]") {
  constexpr int kSamples = 400, kRuns = 10;
  int covered = 0, asked = 0, found_parts = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Simulated system(seed);
    const TraceInfo& info = system.outcome.seen.info;
    const BlameAnalysis exact(system.outcome.seen.events, system.times_ns, info);
    std::vector<Event> events = system.outcome.seen.events;
    for (Event& event : events) event.ready_time_ns = event.disk_time_ns = kNotMeasured;
    const BlameAnalysis unmeasured(events, system.times_ns, info);
    const WrittenTruth truth(system.servers, system.outcome.truth);
    Random random(seed);
    for (std::uint32_t client = 0; client < kClients; ++client) {
      const auto interval = exact.lifetime(ProcessId{client}).value();
      const auto whole_ns = static_cast<double>(interval.to_ns - interval.from_ns);
      BlameShares shares;
      flatten(exact.divide(ProcessId{client}, interval), {}, whole_ns, shares);
      for (int run = 0; run < kRuns; ++run) {
        const double interval_ns = random.uniform(.9, 1.1) * whole_ns / kSamples;
        const auto found =
            unmeasured.divide(ProcessId{client}, interval, samples_of(system, truth, interval_ns, random));
        REQUIRE(found.root.total_ns() == interval.to_ns - interval.from_ns);
        REQUIRE(found.samples > kSamples / 2);
        BlameShares estimated;
        flatten(found.root, {}, whole_ns, estimated);
        for (const auto& [what, share] : shares) {
          const Share estimate = mean_share(estimated[what], found.samples);
          ++asked;
          found_parts += estimate.value > 0;
          covered += estimate.low <= share && share <= estimate.high;
        }
        // Nothing is found that is not there.
        for (const auto& [what, share] : estimated) {
          INFO("seed " << seed << " process " << what.first.back() << " part " << static_cast<int>(what.second));
          CHECK((share == 0 || shares[what] > 0));
        }
      }
    }
  }
  INFO(covered << " of " << asked << ", " << found_parts << " of them found");
  CHECK(covered >= asked * .95);
  CHECK(found_parts > asked / 2);
}

}  // namespace dpm

// The graph of clocks against all simple paths, and against clocks with known truth.
#include "analysis/clocks/clock_graph.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "tests/analysis/clocks/true_clocks.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

using Number = ClockGraph::Number;
using Messages = std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<ClockPoint>>;  // by from, to

constexpr Number kUnbounded = std::numeric_limits<Number>::infinity();
constexpr std::int64_t kRunNs = 10'000'000'000;

// What the receiver's clock reads at most when the sender's reads x: the lowest chord of two messages there.
Number latest(const std::vector<ClockPoint>& messages, Number x) {
  Number least = kUnbounded;
  for (const ClockPoint& p : messages) {
    for (const ClockPoint& q : messages) {
      const Number from = p.at_ns, to = q.at_ns;
      if (from > x || to < x) continue;
      const Number part = to > from ? (x - from) / (to - from) : 0;
      least = std::min(least, x + p.offset_ns + part * (static_cast<Number>(q.offset_ns) - p.offset_ns));
    }
  }
  return least;
}

// By all simple paths.
Number latest(const Messages& messages, std::uint32_t from, std::uint32_t to, Number x, std::set<std::uint32_t> been) {
  if (from == to) return x;
  been.insert(from);
  Number least = kUnbounded;
  for (const auto& [ends, points] : messages) {
    if (ends.first != from || been.contains(ends.second)) continue;
    const Number there = latest(points, x);
    if (there < kUnbounded) least = std::min(least, latest(messages, ends.second, to, there, been));
  }
  return least;
}

struct Computation {
  std::vector<TrueClock> clocks;
  Messages messages;

  std::int64_t reading(std::uint32_t clock, std::int64_t true_ns) const { return clocks[clock].reading(true_ns); }
};

Computation random_computation(Random& random) {
  Computation made;
  const auto machines = static_cast<std::uint32_t>(3 + random.below(4));
  for (std::uint32_t m = 0; m < machines; ++m)
    made.clocks.push_back({static_cast<std::int64_t>(random.below(7'200'000'000'000)),
                           (static_cast<double>(random.below(400)) - 200) * 1e-6, 1});
  const double density = .2 + .1 * static_cast<double>(random.below(8));
  for (std::uint32_t from = 0; from < machines; ++from) {
    for (std::uint32_t to = 0; to < machines; ++to) {
      if (from == to || !random.chance(density)) continue;
      for (std::uint64_t i = 0, end = 2 + random.below(25); i < end; ++i) {
        const auto sent = static_cast<std::int64_t>(random.below(kRunNs));
        const std::int64_t received = sent + 10'000 + static_cast<std::int64_t>(random.exponential(500'000));
        const std::int64_t read = made.reading(from, sent);
        made.messages[{from, to}].push_back({read, made.reading(to, received) - read});
      }
    }
  }
  return made;
}

ClockGraph graph_of(const Computation& made) {
  std::vector<EvenClock> clocks;
  for (std::uint32_t c = 0; c < made.clocks.size(); ++c)
    clocks.push_back(
        {{static_cast<std::uint16_t>(c)}, made.reading(c, 0), made.reading(c, 0), made.reading(c, kRunNs)});
  ClockGraph graph(std::move(clocks));
  for (const auto& [ends, points] : made.messages) graph.add(ends.first, ends.second, points, 1);
  graph.close();
  return graph;
}

}  // namespace

TEST_CASE("clock graph: the bounds are at least as tight as by all simple paths, and true", "[clocks]") {
  std::size_t bounded = 0, through_others = 0;
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    Random random(seed);
    const Computation made = random_computation(random);
    const ClockGraph graph = graph_of(made);
    INFO("seed " << seed);
    CHECK(graph.contradiction().empty());
    for (std::uint32_t a = 0; a < made.clocks.size(); ++a) {
      for (std::uint32_t b = 0; b < made.clocks.size(); ++b) {
        if (a == b) continue;
        const ClockBounds bounds = graph.bounds(a, b);
        REQUIRE(bounds.is_possible());
        for (const std::int64_t true_ns : {kRunNs / 4, kRunNs / 2, kRunNs * 3 / 4}) {
          const std::int64_t at = made.reading(a, true_ns);
          const auto truth = static_cast<double>(made.reading(b, true_ns) - at - bounds.base_ns());
          const Bounds found = bounds.offset_at(at);
          INFO("clocks " << a << " and " << b << " at " << true_ns);
          CHECK(found.low <= truth + 2);
          CHECK(found.high >= truth - 2);
          const Number by_paths = latest(made.messages, a, b, at, {});
          if (by_paths == kUnbounded) continue;
          ++bounded;
          if (!made.messages.contains({a, b})) ++through_others;
          const auto slack = static_cast<double>(by_paths - at - bounds.base_ns()) - truth;
          // Each message of a path may be read up to a nanosecond late.
          CHECK(found.high - truth <= slack * 1.01 + static_cast<double>(made.clocks.size()) + 1);
        }
      }
    }
  }
  CHECK(bounded > 1000);
  CHECK(through_others > 300);
}

TEST_CASE("clock graph: a circle that takes less than no time is named", "[clocks]") {
  std::vector<EvenClock> clocks;
  for (std::uint16_t c = 0; c < 4; ++c) clocks.push_back({{c}, 0, 0, 1000});
  ClockGraph graph(clocks);
  graph.add(0, 1, {{{0, 30}, {1000, 30}}}, 0);
  graph.add(1, 2, {{{0, -20}, {1000, -20}}}, 0);
  graph.add(2, 0, {{{0, -10}, {500, -12}, {1000, -10}}}, 0);
  graph.add(0, 3, {{{0, 5}, {1000, 5}}}, 0);
  graph.close();
  const auto circle = graph.contradiction();
  REQUIRE_FALSE(circle.empty());
  std::set<std::pair<std::uint32_t, std::uint32_t>> ways;
  for (const ClockMessage& message : circle) ways.insert({message.from, message.to});
  CHECK(ways == std::set<std::pair<std::uint32_t, std::uint32_t>>{{0, 1}, {1, 2}, {2, 0}});
  CHECK(std::any_of(circle.begin(), circle.end(), [](const ClockMessage& message) {
    return message.from == 2 && message.sent_ns == 500 && message.received_ns == 488;
  }));
  graph.forget_paths();
  CHECK(graph.contradiction().empty());
}

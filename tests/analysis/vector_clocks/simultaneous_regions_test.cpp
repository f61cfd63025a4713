#include "analysis/vector_clocks/simultaneous_regions.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <set>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

// A small computation in which process 0 has a condition a, and process 1 a condition b, that some of their events turn on or off.
struct Story {
  struct Step {
    std::uint32_t process = 0;
    std::vector<std::size_t> causes;  // steps of other processes
    int turns = 0;                    // +1 on, -1 off
  };
  std::vector<Step> steps;  // causes first
  std::uint32_t processes = 0;
};

Story random_story(std::minstd_rand& random) {
  Story story;
  const auto below = [&](std::uint32_t limit) { return static_cast<std::uint32_t>(random() % limit); };
  story.processes = 2 + below(2);
  std::vector<bool> is_on(story.processes);
  const std::uint32_t steps = 2 + below(11);
  for (std::uint32_t i = 0; i < steps; ++i) {
    Story::Step step{below(story.processes), {}, 0};
    for (std::uint32_t tries = below(3); i > 0 && tries > 0; --tries)
      if (const std::uint32_t cause = below(i); story.steps[cause].process != step.process)
        step.causes.push_back(cause);
    if (step.process < 2 && below(2) == 0) {
      step.turns = is_on[step.process] ? -1 : 1;
      is_on[step.process] = !is_on[step.process];
    }
    story.steps.push_back(step);
  }
  return story;
}

std::vector<std::vector<Region>> regions_of(const Story& story) {
  RunningClocks clocks;
  std::vector<Knowledge> after;
  std::vector<std::vector<Region>> regions(2);
  for (const Story::Step& step : story.steps) {
    for (const std::size_t cause : step.causes) clocks.learn(step.process, after[cause]);
    clocks.perform(step.process);
    after.push_back(clocks.knowledge_of(step.process));
    if (step.turns > 0) regions[step.process].push_back({after.back(), std::nullopt});
    if (step.turns < 0) regions[step.process].back().end = after.back();
  }
  return regions;
}

using Cut = std::vector<std::uint32_t>;  // by process

// The obvious way: all cuts, by what happened in each process, and which of them the causes allow.
struct Cuts {
  explicit Cuts(const Story& story) : of_process(story.processes) {
    for (std::size_t i = 0; i < story.steps.size(); ++i) of_process[story.steps[i].process].push_back(i);
    Cut cut(story.processes);
    std::function<void(std::size_t)> choose = [&](std::size_t process) {
      if (process == cut.size()) {
        if (is_consistent(story, cut)) consistent.insert(cut);
        return;
      }
      for (cut[process] = 0; cut[process] <= of_process[process].size(); ++cut[process]) choose(process + 1);
      cut[process] = 0;
    };
    choose(0);
  }

  bool contains(const Cut& cut, const Story& story, std::size_t step) const {
    const auto& of = of_process[story.steps[step].process];
    const auto place = static_cast<std::size_t>(std::find(of.begin(), of.end(), step) - of.begin());
    return place < cut[story.steps[step].process];
  }
  bool is_consistent(const Story& story, const Cut& cut) const {
    for (std::size_t i = 0; i < story.steps.size(); ++i)
      for (const std::size_t cause : story.steps[i].causes)
        if (contains(cut, story, i) && !contains(cut, story, cause)) return false;
    return true;
  }
  // Whether some order of the events goes from the first cut to the last without one that is `bad`.
  bool can_avoid(const std::function<bool(const Cut&)>& bad) const {
    std::set<Cut> reached;
    for (const Cut& cut : consistent) {  // in an order in which a cut comes after those that lead to it
      if (bad(cut)) continue;
      bool is_reached = std::all_of(cut.begin(), cut.end(), [](std::uint32_t count) { return count == 0; });
      for (std::size_t p = 0; p < cut.size() && !is_reached; ++p) {
        if (cut[p] == 0) continue;
        Cut before = cut;
        --before[p];
        is_reached = reached.contains(before);
      }
      if (is_reached) reached.insert(cut);
    }
    return reached.contains(*consistent.rbegin());
  }

  std::vector<std::vector<std::size_t>> of_process;
  std::set<Cut> consistent;
};

bool is_in(const Region& region, const Cut& cut) {
  const std::uint32_t count = cut[region.process()];
  return count >= region.begin.count && (!region.end || count < region.end->count);
}

enum class Simultaneity { never, possible, certain };

Simultaneity simultaneity_of(const Region& a, const Region& b) {
  const SimultaneousPairs found = simultaneous_pairs({&a, 1}, {&b, 1});
  if (found.possible == 0) return Simultaneity::never;
  return found.certain == 0 ? Simultaneity::possible : Simultaneity::certain;
}

TEST_CASE("simultaneous regions: equal all consistent cuts of random computations", "[vector_clocks]") {
  std::map<Simultaneity, int> seen;
  for (unsigned seed = 1; seed <= 1500; ++seed) {
    INFO("seed " << seed);
    std::minstd_rand random(seed);
    const Story story = random_story(random);
    const auto regions = regions_of(story);
    const Cuts cuts(story);
    SimultaneousPairs expected;
    for (std::size_t i = 0; i < regions[0].size(); ++i)
      for (std::size_t j = 0; j < regions[1].size(); ++j) {
        const Region &a = regions[0][i], &b = regions[1][j];
        const auto both = [&](const Cut& cut) { return is_in(a, cut) && is_in(b, cut); };
        const auto first = std::find_if(cuts.consistent.begin(), cuts.consistent.end(), both);
        const bool is_possible = first != cuts.consistent.end(), is_certain = !cuts.can_avoid(both);
        const Simultaneity found = simultaneity_of(a, b);
        ++seen[found];
        REQUIRE((found != Simultaneity::never) == is_possible);
        REQUIRE((found == Simultaneity::certain) == is_certain);
        ++expected.pairs;
        expected.possible += is_possible;
        expected.certain += is_certain;
        if (is_possible && !expected.first_possible) expected.first_possible.emplace(i, j);
        if (is_certain && !expected.first_certain) expected.first_certain.emplace(i, j);
        if (!is_possible) continue;
        // The earliest cut is one of them, and in all others.
        const VectorClock earliest = earliest_cut(a, b);
        Cut cut;
        for (std::uint32_t p = 0; p < story.processes; ++p) cut.push_back(earliest.count_of(p));
        REQUIRE(cuts.consistent.contains(cut));
        REQUIRE(both(cut));
        for (const Cut& other : cuts.consistent)
          if (both(other))
            for (std::size_t p = 0; p < cut.size(); ++p) REQUIRE(cut[p] <= other[p]);
      }
    const SimultaneousPairs pairs = simultaneous_pairs(regions[0], regions[1]);
    REQUIRE(pairs.pairs == expected.pairs);
    REQUIRE(pairs.possible == expected.possible);
    REQUIRE(pairs.certain == expected.certain);
    REQUIRE(pairs.first_possible == expected.first_possible);
    REQUIRE(pairs.first_certain == expected.first_certain);
  }
  for (const Simultaneity each : {Simultaneity::never, Simultaneity::possible, Simultaneity::certain})
    CHECK(seen[each] > 100);
}

TEST_CASE("simultaneous regions: two conditions of one process follow each other", "[vector_clocks]") {
  const auto at = [](std::uint32_t count) { return Knowledge{nullptr, 0, count}; };
  CHECK(simultaneity_of({at(1), at(3)}, {at(2), at(4)}) == Simultaneity::certain);
  CHECK(simultaneity_of({at(1), at(3)}, {at(3), at(4)}) == Simultaneity::never);
  CHECK(simultaneity_of({at(1), std::nullopt}, {at(3), at(4)}) == Simultaneity::certain);
}

}  // namespace
}  // namespace dpm

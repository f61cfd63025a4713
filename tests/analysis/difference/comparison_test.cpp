#include "analysis/difference/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

// user asks server, server asks disk.
RunProfile server_with_disk() {
  RunProfile run;
  run.processes = {{"user", "user", "red", 1}, {"server", "server", "blue", 2}, {"disk", "disk", "green", 3}};
  run.pairs = {{0, 1, 10, 1000}, {1, 0, 10, 500}, {1, 2, 4, 40}, {2, 1, 4, 4000}};
  run.paths = {{{1}, 6}, {{1, 2, 1}, 4}};
  run.elapsed_of = 0;
  run.elapsed = {{0, "its CPU time", "", 1}, {1, "its CPU time", "", 2}, {2, "its CPU time", "", 3}};
  return run;
}

const MeasureChange* find(const Comparison& comparison, Measure measure) {
  for (const auto& change : comparison.measures)
    if (change.measure == measure) return &change;
  return nullptr;
}

std::vector<StructuralKind> kinds(const Comparison& comparison) {
  std::vector<StructuralKind> all;
  for (const auto& change : comparison.structure) all.push_back(change.kind);
  return all;
}

}  // namespace

TEST_CASE("comparison: a run does not differ from itself", "[comparison]") {
  const Comparison comparison = compare(server_with_disk(), server_with_disk());
  CHECK(comparison.structure.empty());
  CHECK(comparison.measures.empty());
}

TEST_CASE("comparison: two empty runs do not differ", "[comparison]") {
  const Comparison comparison = compare({}, {});
  CHECK(comparison.structure.empty());
  CHECK(comparison.measures.empty());
}

TEST_CASE("comparison: the parts of a measure's change add up to it", "[comparison]") {
  RunProfile b = server_with_disk();
  b.elapsed[1].time_s = 2.5;
  b.elapsed[2].time_s = 2.9;
  const Comparison comparison = compare(server_with_disk(), b);
  REQUIRE(comparison.measures.size() == 1);
  const MeasureChange& elapsed = comparison.measures[0];
  CHECK(elapsed.measure == Measure::elapsed);
  REQUIRE(elapsed.changes.size() == 2);
  CHECK(elapsed.changes[0].name.process == "server");
  CHECK(elapsed.changes[0].explains == Approx(1.25));
  CHECK(elapsed.changes[1].explains == Approx(-.25));
}

TEST_CASE("comparison: the measure that changed most comes first", "[comparison]") {
  RunProfile b = server_with_disk();
  b.processes[1].cpu_s = 2.1;
  b.pairs[3].bytes = 8000;
  const Comparison comparison = compare(server_with_disk(), b);
  REQUIRE(comparison.measures.size() == 2);
  CHECK(comparison.measures[0].measure == Measure::bytes);
  CHECK(comparison.measures[0].changes[0].name.process == "disk");
  CHECK(comparison.measures[1].measure == Measure::cpu);
}

TEST_CASE("comparison: what only one run has is structure", "[comparison]") {
  RunProfile b = server_with_disk();
  b.processes.push_back({"cache", "cache", "blue", 0});
  b.pairs.push_back({1, 3, 2, 20});
  b.paths.push_back({{1, 3, 1}, 2});
  CHECK(kinds(compare(server_with_disk(), b)) ==
        std::vector{StructuralKind::new_process, StructuralKind::new_path, StructuralKind::new_pair});
  CHECK(kinds(compare(b, server_with_disk())) ==
        std::vector{StructuralKind::gone_process, StructuralKind::gone_path, StructuralKind::gone_pair});
}

TEST_CASE("comparison: a process that moved is named with both machines", "[comparison]") {
  RunProfile b = server_with_disk();
  b.processes[1].machine = "green";
  const Comparison comparison = compare(server_with_disk(), b);
  REQUIRE(kinds(comparison) == std::vector{StructuralKind::moved_process});
  CHECK(comparison.structure[0].from == "blue");
  CHECK(comparison.structure[0].to == "green");
}

TEST_CASE("comparison: a renamed process is known by the messages that it exchanges", "[comparison]") {
  RunProfile b = server_with_disk();
  b.processes[1].name = "server-2.0";
  b.processes[2].name = "storage";  // its only neighbour is renamed as well
  const Comparison comparison = compare(server_with_disk(), b);
  REQUIRE(kinds(comparison) == std::vector{StructuralKind::renamed_process, StructuralKind::renamed_process});
  CHECK(comparison.structure[0].names == std::vector<std::string>{"server", "server-2.0"});
  CHECK(comparison.structure[1].names == std::vector<std::string>{"disk", "storage"});
  CHECK(comparison.measures.empty());
}

TEST_CASE("comparison: a process that does something else is not a renamed one", "[comparison]") {
  RunProfile b = server_with_disk();
  b.processes[2] = {"logger", "logger", "green", 3};
  b.pairs = {{0, 1, 10, 1000}, {1, 0, 10, 500}, {1, 2, 8, 40}};  // asks nothing back
  const auto found = kinds(compare(server_with_disk(), b));
  CHECK(std::count(found.begin(), found.end(), StructuralKind::renamed_process) == 0);
}

TEST_CASE("comparison: changes that runs of one system have among themselves are left out", "[comparison]") {
  std::vector<RunProfile> repeats;
  for (const double time_s : {1.9, 2.05, 2.1}) {
    repeats.push_back(server_with_disk());
    repeats.back().elapsed[1].time_s = time_s;
  }
  RunProfile b = server_with_disk();
  b.elapsed[1].time_s = 2.15;
  b.elapsed[2].time_s = 3.3;
  const Comparison comparison = compare(server_with_disk(), b, repeats);
  const MeasureChange* elapsed = find(comparison, Measure::elapsed);
  REQUIRE(elapsed != nullptr);
  CHECK(elapsed->noise_changes == 1);
  REQUIRE(elapsed->changes.size() == 1);
  CHECK(elapsed->changes[0].name.process == "disk");
}

TEST_CASE("comparison: a path that some runs of one system have is not new and not gone", "[comparison]") {
  std::vector<RunProfile> repeats = {server_with_disk()};
  repeats[0].paths.pop_back();
  RunProfile b = server_with_disk();
  b.paths.pop_back();
  const Comparison gone = compare(server_with_disk(), b, repeats);
  CHECK(gone.structure.empty());
  CHECK(gone.structural_noise == 1);
  repeats[0] = server_with_disk();
  CHECK(kinds(compare(server_with_disk(), b, repeats)) == std::vector{StructuralKind::gone_path});
}

TEST_CASE("comparison: of random runs, the parts explain all of the change", "[comparison]") {
  std::minstd_rand random(7);
  std::uniform_real_distribution<double> time_s(0, 10);
  for (int round = 0; round < 200; ++round) {
    RunProfile a, b;
    for (RunProfile* run : {&a, &b}) {
      for (int p = 0; p < 6; ++p) run->processes.push_back({"p" + std::to_string(p), "", "red", time_s(random)});
      for (std::size_t i = 0; i < 12; ++i)
        run->elapsed.push_back({random() % 6, i % 2 == 0 ? "run" : "queue", "", time_s(random)});
      for (std::size_t i = 0; i < 9; ++i)
        run->pairs.push_back({random() % 6, random() % 6, random() % 100, random() % 10000});
    }
    for (const MeasureChange& measure : compare(a, b).measures) {
      double sum = 0, explained = 0;
      for (const AmountChange& change : measure.changes) sum += change.b - change.a, explained += change.explains;
      CHECK(sum == Approx(measure.b - measure.a).margin(1e-6));
      if (std::abs(measure.b - measure.a) > 1e-6) CHECK(explained == Approx(1));
    }
  }
}

TEST_CASE("noise: the interval holds the next value as often as it says", "[comparison]") {
  CHECK_FALSE(noise_of(std::vector<double>{1}).has_value());
  std::mt19937 random(11);
  std::normal_distribution<double> value(100, 5);
  int held = 0;
  constexpr int kRounds = 20000;
  for (int round = 0; round < kRounds; ++round) {
    std::vector<double> values(4);
    for (double& one : values) one = value(random);
    held += noise_of(values)->covers(value(random)) ? 1 : 0;
  }
  CHECK(held > kRounds * .985);
  CHECK(held < kRounds * .995);
}

}  // namespace dpm

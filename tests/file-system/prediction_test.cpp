// How well one trace of the file system predicts its other placements, against simulations of them.
#include <algorithm>
#include <cmath>

#include "tests/file-system/study.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

struct Errors {
  double same_placement = 0;
  double mean = 0, worst = 0;  // of the other placements
};

Errors errors_of_matrices(const std::map<std::string, double>& parameters) {
  Errors errors;
  int cells = 0;
  const std::uint64_t seeds = fewer_if_sanitized(5, 1, "seeds");
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::vector<TracedRun> runs;
    for (const char* placement : {"A", "B", "C"}) runs.push_back(trace(placement, seed, parameters));
    for (const TracedRun& traced : runs) {
      for (const TracedRun& other : runs) {
        const double error = std::fabs(prediction(traced, other.scenario).P / other.P - 1);
        if (&traced == &other) {
          errors.same_placement = std::max(errors.same_placement, error);
        } else {
          errors.worst = std::max(errors.worst, error);
          errors.mean += error;
          ++cells;
        }
      }
    }
  }
  errors.mean /= cells;
  return errors;
}

// The same run with the four on machines vax_1 to vax_4: process i of kFour on `machine_of[i]`.
Scenario moved(Scenario scenario, const std::array<int, 4>& machine_of) {
  for (auto& process : scenario.processes) {
    const auto found = std::find(kFour.begin(), kFour.end(), process.name);
    if (found != kFour.end()) process.machine = "vax_" + std::to_string(machine_of[found - kFour.begin()]);
  }
  return scenario;
}

// The ways to put four processes together on machines: 15.
std::vector<std::array<int, 4>> partitions() {
  std::vector<std::array<int, 4>> all;
  for (int b = 1; b <= 2; ++b)
    for (int c = 1; c <= b + 1; ++c)
      for (int d = 1; d <= std::max(b, c) + 1; ++d) all.push_back({1, b, c, d});
  return all;
}

}  // namespace

TEST_CASE("file system: another placement is predicted within 1.5 %, on average within 0.5 %", "[file-system]") {
  for (const double users : fewer_if_sanitized<double>({2, 4, 7}, 1, "numbers of users")) {
    INFO(users << " users");
    const Errors errors = errors_of_matrices({{"users", users}});
    CHECK(errors.same_placement <= 1e-9);
    CHECK(errors.mean <= .005);
    CHECK(errors.worst <= .015);
  }
}

TEST_CASE("file system: with a buffer manager that reacts to the request alone, predictions are exact",
          "[file-system]") {
  for (const double users : fewer_if_sanitized<double>({2, 4, 7}, 1, "numbers of users")) {
    for (const double slots : {0., 3.}) {
      INFO(users << " users, " << slots << " slots");
      const Errors errors = errors_of_matrices({{"users", users}, {"slots", slots}, {"oblivious", 1}});
      CHECK(errors.same_placement <= 1e-9);
      CHECK(errors.worst <= 1e-6);
    }
  }
}

TEST_CASE("file system: the placement that is predicted to be best is within 0.5 % of the best", "[file-system]") {
  REQUIRE(partitions().size() == 15);
  const std::uint64_t seeds = fewer_if_sanitized(4, 1, "seeds");
  for (const double users : fewer_if_sanitized<double>({4, 7}, 1, "numbers of users")) {
    double regret = 0;  // mean over seeds: the contents of the buffers move the optimum from run to run
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const TracedRun traced = trace("traced", seed, {{"users", users}});
      double best_predicted_s = 1e9, picked_s = 0, best_s = 1e9, worst_s = 0;
      for (const auto& machine_of : partitions()) {
        const Scenario elsewhere = moved(traced.scenario, machine_of);
        const double predicted_s = prediction(traced, elsewhere).elapsed_s;
        const double simulated_s = trace(elsewhere).truth.makespan_all.seconds();
        if (predicted_s < best_predicted_s) picked_s = simulated_s;
        best_predicted_s = std::min(best_predicted_s, predicted_s);
        best_s = std::min(best_s, simulated_s);
        worst_s = std::max(worst_s, simulated_s);
      }
      CHECK(worst_s / best_s - 1 > .1);  // otherwise there was nothing to choose
      regret += (picked_s / best_s - 1) / static_cast<double>(seeds);
    }
    INFO(users << " users");
    CHECK(regret <= (users == 4 ? 1e-9 : .005));
  }
}

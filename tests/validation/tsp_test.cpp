// The travelling salesman predicted from traces of other placements, against simulations of these placements.
#include <algorithm>
#include <cmath>

#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "validation/common/traced_run.hpp"

using namespace dpm;
using namespace dpm::test;
using namespace dpm::validation;

namespace {

constexpr double kGoal = .005;  // of P, off the traced placement
const std::vector<std::string> kPlacements = {"one-per-machine", "two-per-machine", "four-per-machine", "single"};

struct Instance {
  double size = 12, servers = 8, version = 1, matrix_seed = 10194;

  std::map<std::string, double> parameters() const {
    return {{"size", size}, {"servers", servers}, {"version", version}, {"matrix_seed", matrix_seed}};
  }
};

const ScenarioFile& tsp() {
  static const ScenarioFile file = shipped_scenario(scenarios_folder() / "tsp");
  return file;
}

std::vector<TracedRun> run_everywhere(const Instance& instance) {
  std::vector<TracedRun> runs;
  for (const auto& placement : kPlacements)
    runs.emplace_back(validation::instance(tsp(), placement, instance.parameters()));
  return runs;
}

// |P predicted / P simulated - 1|, the worst of the matrix.
double worst_error(const std::vector<TracedRun>& runs, Order order) {
  double worst = 0;
  for (const auto& traced : runs) {
    for (const auto& other : runs) {
      const double P = traced.predict(other.scenario, {.order = order}).P;
      worst = std::max(worst, std::fabs(P / other.P() - 1));
    }
  }
  return worst;
}

}  // namespace

TEST_CASE("validation: tsp in role order is predicted right in every version, size and number of servers",
          "[validation][tsp]") {
  const auto matrix_seeds = fewer_if_sanitized<double>({10194, 1, 2, 3}, 1, "matrices");
  const auto sizes = fewer_if_sanitized<std::pair<double, double>>(
      {{12, 8}, {4, 4}, {8, 4}, {8, 8}, {12, 4}, {12, 16}, {14, 6}, {14, 12}}, 3, "sizes");
  double worst_arrival = 0;
  for (const double version : {1, 2, 3}) {
    for (const double matrix_seed : matrix_seeds) {
      for (const auto& [size, servers] : sizes) {
        INFO("version " << version << ", instance " << matrix_seed << ", " << size << " cities, " << servers
                        << " servers");
        const auto runs = run_everywhere({size, servers, version, matrix_seed});
        CHECK(worst_error(runs, Order::role) <= kGoal);
        if (size == 12) worst_arrival = std::max(worst_arrival, worst_error(runs, Order::arrival));
      }
    }
  }
  CHECK(worst_arrival > .02);  // what role order is for
}

TEST_CASE("validation: tsp at the thesis's largest sizes", "[validation][tsp]") {
  for (const Instance& instance :
       fewer_if_sanitized<Instance>({{16, 4, 3}, {16, 8, 2}, {16, 16, 1}, {20, 8, 1}}, 1, "instances")) {
    INFO(instance.size << " cities, " << instance.servers << " servers");
    CHECK(worst_error(run_everywhere(instance), Order::role) <= kGoal);
  }
}

TEST_CASE("validation: tsp predictions from one trace rank the placements, and its servers, as simulations do",
          "[validation][tsp]") {
  double fewer_servers = 0;
  for (const double servers : {4, 8, 16}) {
    INFO(servers << " servers");
    const auto runs = run_everywhere({16, servers, 2});
    const auto predicted = [&](std::size_t i) { return runs[3].predict(runs[i].scenario, {.order = Order::role}).P; };
    // One, two, four servers to a machine: P falls in this order, in truth and as predicted. (All on one machine may
    // beat four to a machine, for its messages are local.)
    for (std::size_t i = 1; i < 3; ++i) {
      CHECK(runs[i].P() < runs[i - 1].P());
      CHECK(predicted(i) < predicted(i - 1));
    }
    CHECK(predicted(0) > fewer_servers);
    fewer_servers = predicted(0);
    // Without delays and with a processor for each process, no placement has more.
    const auto most = measure_parallelism(runs[3].history, traced_target(runs[3].history));
    REQUIRE(most.has_value());
    CHECK(most->no_delay.P <= servers + 1);
  }
}

TEST_CASE("validation: tsp's roles are the controller and its servers", "[validation][tsp]") {
  for (const Instance& instance : {Instance{12, 8, 1}, Instance{8, 4, 2}, Instance{12, 16, 2}, Instance{12, 8, 3}}) {
    const TracedRun run(validation::instance(tsp(), "two-per-machine", instance.parameters()));
    const auto groups = find_role_groups(run.history);
    REQUIRE(groups.size() == 1);
    CHECK(run.history.info[groups[0].dispatcher].name == "controller");
    CHECK(groups[0].program == "server");
    CHECK(static_cast<double>(groups[0].workers.size()) == instance.servers);
  }
}

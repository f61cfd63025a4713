// What one trace predicts about the travelling salesman elsewhere, except the size of its error (see validation/tsp).
#include "analysis/parallelism/parallelism.hpp"
#include "tests/support/catch.hpp"
#include "validation/common/traced_run.hpp"

using namespace dpm;
using namespace dpm::validation;

namespace {

Scenario tsp_instance(const std::string& placement, double size, double servers, double version) {
  static const ScenarioFile file = shipped_scenario(scenarios_folder() / "tsp");
  return validation::instance(file, placement,
                              {{"size", size}, {"servers", servers}, {"version", version}, {"matrix_seed", 10194}});
}

}  // namespace

TEST_CASE("tsp: predictions from one trace rank the placements, and its servers, as simulations do", "[tsp]") {
  double fewer_servers = 0;
  for (const double servers : {4, 8, 16}) {
    INFO(servers << " servers");
    std::vector<TracedRun> runs;
    for (const char* placement : {"one-per-machine", "two-per-machine", "four-per-machine", "single"})
      runs.emplace_back(tsp_instance(placement, 16, servers, 2));
    const auto predicted = [&](std::size_t i) { return runs[3].predict(runs[i].scenario, {.order = Order::role}).P; };
    // One, two, four servers to a machine: P falls in this order, in truth and as predicted. (All on one machine may be
    // better than four to a machine, because its messages are local.)
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

TEST_CASE("tsp: the roles that are found are the controller and its servers", "[tsp]") {
  struct Instance {
    double size, servers, version;
  };
  for (const Instance& instance : {Instance{12, 8, 1}, Instance{8, 4, 2}, Instance{12, 16, 2}, Instance{12, 8, 3}}) {
    const TracedRun run(tsp_instance("two-per-machine", instance.size, instance.servers, instance.version));
    const auto groups = find_role_groups(run.history);
    REQUIRE(groups.size() == 1);
    CHECK(run.history.info[groups[0].dispatcher].name == "controller");
    CHECK(groups[0].program == "server");
    CHECK(static_cast<double>(groups[0].workers.size()) == instance.servers);
  }
}

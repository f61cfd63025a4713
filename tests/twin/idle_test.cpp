// Times in which nothing is computed and nothing comes: sleeps, and waits in vain.
#include "cli/twin/twin_trial.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/twin/twin_runs.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

std::vector<double> values_of(const Quantity& quantity) {
  return quantity.kind == Quantity::Kind::constant ? std::vector<double>{quantity.first.number} : quantity.values;
}

// A reply that comes too late is dropped in a simulation, and discarded by the twin.
std::uint64_t sent(const Run& run) { return run.messages + run.recording->sends_without_receive; }

void check_alike(const Run& original, const twin::Twin& twin, double elapsed_within = .03) {
  const Run again = simulate(twin::scenario_text(twin));
  CHECK(sent(again) == Approx(sent(original)).epsilon(.05));
  CHECK(again.T_s == Approx(original.T_s).epsilon(.06));
  CHECK(again.elapsed_s == Approx(original.elapsed_s).epsilon(elapsed_within));
}

// A client that asks again when the answer does not come in time: the server is slow one time in four.
std::string retries(const std::string& timeout) {
  return scenario(fmt::format(R"({{
  "client": {{"start": [{{"repeat": 60, "do": [{{"compute_s": 0.01}},
     {{"call": "ask", "to": "server", "bytes": 100, "timeout_s": {},
       "on_timeout": [{{"call": "ask", "to": "server", "bytes": 100}}]}}]}}]}},
  "server": {{"on": [{{"kind": "ask", "do": [
     {{"choose": [{{"weight": 3, "do": [{{"compute_s": 0.02}}]}}, {{"weight": 1, "do": [{{"sleep_s": 0.7}}]}}]}},
     {{"reply": "answer", "bytes": 200}}]}}]}}}})",
                              timeout),
                  R"([{"name": "client", "program": "client", "machine": "red"},
                      {"name": "server", "program": "server", "machine": "blue"}])");
}

// What the file of a shipped scenario says.
std::string shipped(const std::string& name) {
  return test::read_text(test::source_folder() / "scenarios" / name / "scenario.json");
}

}  // namespace

TEST_CASE("twin: a process that sleeps between messages sleeps as long in the twin", "[twin]") {
  const Run original = simulate(scenario(R"({
    "sensor": {"start": [{"repeat": 50, "do": [{"sleep_s": {"uniform": [0.1, 0.3]}}, {"compute_s": 0.002},
                                                {"send": "value", "to": "log", "bytes": 64}]}, {"sleep_s": 2}]},
    "log": {"on": [{"kind": "value", "do": [{"compute_s": 0.001}]}]}})",
                                         R"([{"name": "sensor", "count": 3, "program": "sensor", "machine": "desk"},
                                             {"name": "log", "program": "log", "machine": "red"}])"));
  auto twin = twin_of(original);
  const auto& sensor = group(twin, "sensor");
  CHECK(sensor.sleeps.count == 3 * 51);
  CHECK(sensor.sleeps.sum_s == Approx(3 * (50 * 0.2 + 2)).epsilon(.05));
  CHECK(sensor.timeouts.count == 0);
  CHECK(sensor.give_ups.count == 0);
  const auto sleeps = all_of<steps::Sleep>(sensor);
  REQUIRE(sleeps.size() == 2);
  for (const double value : values_of(sleeps[0].time)) CHECK((value > 0.099 && value < 0.301));
  CHECK(values_of(sleeps[1].time) == std::vector<double>{2});
  CHECK(all_of<steps::Sleep>(group(twin, "log")).empty());
  check_alike(original, twin);
}

TEST_CASE("twin: a process that waits for the CPU does not sleep", "[twin]") {
  const Run original = simulate(scenario(R"({
    "worker": {"start": [{"repeat": 30, "do": [{"compute_s": {"exponential": 0.05}},
                                                {"send": "done", "to": "log", "bytes": 64}]}]},
    "log": {"on": [{"kind": "done", "do": [{"compute_s": 0.02}]}]}})",
                                         R"([{"name": "worker", "count": 3, "program": "worker", "machine": "red"},
                                             {"name": "log", "program": "log", "machine": "red"}])"));
  auto twin = twin_of(original);
  for (const auto& each : twin.groups) {
    INFO(each.name);
    CHECK(each.sleeps.count == 0);
    CHECK(all_of<steps::Sleep>(each).empty());
  }
}

TEST_CASE("twin: a process that sends again after a constant time has a timeout", "[twin]") {
  const Run original = simulate(retries("0.5"));
  auto twin = twin_of(original);
  const auto& client = group(twin, "client");
  CHECK(client.timeouts.count > 5);
  CHECK(client.timeouts.mean_s() == Approx(0.5).epsilon(.001));
  std::size_t with_timeout = 0;
  for (const auto& wait : all_of<steps::Wait>(client)) {
    if (!wait.timeout.after) continue;
    ++with_timeout;
    for (const double value : values_of(*wait.timeout.after)) CHECK(value == Approx(0.5).epsilon(.001));
    REQUIRE(wait.timeout.steps.size() == 2);
    CHECK(std::holds_alternative<steps::Send>(wait.timeout.steps[0].what));
  }
  CHECK(with_timeout == 1);
  CHECK(all_of<steps::Sleep>(client).empty());
  CHECK(group(twin, "server").sleeps.mean_s() == Approx(0.7).epsilon(.01));
  check_alike(original, twin, .15);
}

TEST_CASE("twin: a process that sends again after various times sleeps", "[twin]") {
  const Run original = simulate(retries(R"({"uniform": [0.1, 0.6]})"));
  auto twin = twin_of(original);
  const auto& client = group(twin, "client");
  CHECK(client.timeouts.count == 0);
  CHECK(client.give_ups.count > 5);
  for (const auto& wait : all_of<steps::Wait>(client)) CHECK_FALSE(wait.timeout.after.has_value());
  CHECK_FALSE(all_of<steps::Sleep>(client).empty());
}

TEST_CASE("twin: two-phase commit with timeouts takes as long in the twin", "[twin]") {
  const Run original = simulate(shipped("two-phase-commit"));
  auto trial = cli::try_twin(*original.recording, {}, {}, [](const std::string&) {});
  REQUIRE(trial.has_value());
  twin::Twin& twin = trial->twin;
  CHECK(group(twin, "coordinator").give_ups.count > 5);
  CHECK(group(twin, "coordinator").give_ups.mean_s() == Approx(0.5).epsilon(.1));
  CHECK(trial->reproduction.lacks.empty());
  check_alike(original, twin);
}

TEST_CASE("twin: the sleeping clients of the least-busy balancer are as slow in the twin", "[twin]") {
  const Run original = simulate(shipped("least-busy"));
  check_alike(original, twin_of(original), .1);
}

// A run's own trace gives back its makespan: the meter lost nothing, the graph holds everything that took time, and the
// replay shares processors as the simulator does.
#include <cmath>

#include "model/random.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/sanitizer.hpp"
#include "validation/common/traced_run.hpp"

using namespace dpm;
using namespace dpm::test;
using namespace dpm::validation;

namespace {

constexpr double kGoal = 1e-9;

// Everybody sends to everybody; a message makes its receiver compute and pass it on until it has gone `hops` ways.
Program gossip(std::vector<std::string> others, std::uint32_t first_messages, std::uint32_t hops, double mean_s) {
  return [=](MessageCalls& calls) {
    const auto send = [&](std::uint32_t hop) {
      OutgoingMessage message;
      message.code = hop;
      message.length_bytes = 10 + static_cast<std::uint32_t>(calls.random().below(1000));
      const auto& to = others[calls.random().below(others.size())];
      calls.send_message(calls.link_to(to), message);
    };
    const auto work = [&] { calls.compute(Duration::from_seconds(mean_s * (.1 + 2 * calls.random().uniform()))); };
    for (std::uint32_t i = 0; i < first_messages; ++i) {
      work();
      send(1);
    }
    for (;;) {
      const Message received = calls.receive_message();
      work();
      if (received.code < hops) send(received.code + 1);
    }
  };
}

Scenario random_scenario(std::uint64_t seed, double mean_s) {
  Random draws(seed);
  Scenario scenario;
  scenario.name = "random";
  scenario.seed = seed;
  scenario.delays = DelayModel::demos_vax();
  const std::uint64_t machines = 1 + draws.below(4), processes = 2 + draws.below(10);
  for (std::uint64_t m = 0; m < machines; ++m)
    scenario.machines.push_back({"m" + std::to_string(m), 1, {}, static_cast<std::uint16_t>(1 + seed * m % 3)});
  std::vector<std::string> names;
  for (std::uint64_t p = 0; p < processes; ++p) names.push_back("p" + std::to_string(p));
  for (const auto& name : names) {
    ProcessDescription process;
    process.name = process.program_name = name;
    process.machine = scenario.machines[draws.below(machines)].name;
    for (const auto& other : names)
      if (other != name) process.links.push_back(other);
    process.program = gossip(process.links, 1 + static_cast<std::uint32_t>(draws.below(4)), 60, mean_s);
    process.flags = MeterFlags::all();
    process.service = name != names[0];
    scenario.processes.push_back(std::move(process));
  }
  return scenario;
}

void check_own_trace(const TracedRun& run) {
  const Target target = traced_target(run.history);
  Replay replay(run.history, target);
  for (const Order order : {Order::recorded, Order::arrival}) {
    INFO(run.scenario.name << ", placement '" << run.scenario.placement << "', " << name_of(order) << " order");
    const ReplayResult replayed = replay.run(order, target.machine_of);
    CHECK(replayed.not_performed == 0);
    CHECK(static_cast<double>(replayed.cpu_ns) == run.cpu_ns());
    CHECK(std::fabs(replayed.elapsed_ns * 1e-9 / run.elapsed_s() - 1) <= kGoal);
  }
}

}  // namespace

TEST_CASE("validation: every shipped scenario's own trace gives back its makespan, in every placement",
          "[validation]") {
  const std::uint64_t seeds = fewer_if_sanitized(2, 1, "seeds");
  int runs = 0;
  for (const auto& folder : std::filesystem::directory_iterator(scenarios_folder())) {
    if (!std::filesystem::exists(folder.path() / "scenario.json")) continue;
    const ScenarioFile file = shipped_scenario(folder.path());
    for (const auto& placement : file.placement_names) {
      for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        check_own_trace(TracedRun(instance(file, placement, {}, seed)));
        ++runs;
      }
    }
  }
  CHECK(runs >= 10);
}

TEST_CASE("validation: a random system's own trace gives back its makespan, whatever the time scale", "[validation]") {
  const std::uint64_t systems = fewer_if_sanitized(30, 5, "random systems");
  for (std::uint64_t seed = 1; seed <= systems; ++seed) {
    for (const double mean_s : {1e-4, 1e-2, 1., 1e3}) {
      INFO("seed " << seed << ", computations of " << mean_s << " s");
      check_own_trace(TracedRun(random_scenario(seed, mean_s)));
    }
  }
}

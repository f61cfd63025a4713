// Random systems, simulated twice: in SimGrid and in the obvious way.
#include "tests/backends/sim/slow_simulator.hpp"

#include "model/random.hpp"
#include "tests/backends/sim/sim_fixture.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::testing;

namespace {

std::vector<Script> random_scripts(Random& random, std::size_t processes, std::size_t machines) {
  std::vector<Script> scripts(processes);
  std::vector<std::size_t> sent_to(processes);
  for (auto& script : scripts) {
    script.machine = static_cast<int>(random.below(machines));
    for (std::uint64_t i = 0; i < 30; ++i) {
      Step step;
      if (random.chance(.5)) {
        step.work_ns = static_cast<std::int64_t>(1000 + random.below(20'000'000));
      } else {
        step.kind = Step::Kind::send;
        step.to = static_cast<int>(random.below(processes));
        step.bytes = static_cast<std::uint32_t>(1 + random.below(1000));
        ++sent_to[static_cast<std::size_t>(step.to)];
      }
      script.steps.push_back(step);
    }
  }
  // As many receives as there are messages, anywhere: some of these systems deadlock.
  for (std::size_t p = 0; p < processes; ++p) {
    for (std::size_t i = 0; i < sent_to[p]; ++i) {
      Step step;
      step.kind = Step::Kind::receive;
      auto& steps = scripts[p].steps;
      const std::size_t earliest = random.chance(.1) ? 0 : steps.size() / 3;
      const std::size_t place = earliest + random.below(steps.size() - earliest + 1);
      steps.insert(steps.begin() + static_cast<std::ptrdiff_t>(place), step);
    }
  }
  return scripts;
}

Outcome simulate(const std::vector<SlowMachine>& machines, const DelayModel& delays,
                 const std::vector<Script>& scripts) {
  System system;
  system.scenario.delays = delays;
  for (std::size_t m = 0; m < machines.size(); ++m) {
    system.machine("m" + std::to_string(m), machines[m].speed);
    system.scenario.machines.back().cores = machines[m].cores;
  }
  std::vector<std::string> names;
  for (std::size_t p = 0; p < scripts.size(); ++p) names.push_back("p" + std::to_string(p));
  for (std::size_t p = 0; p < scripts.size(); ++p) {
    system.process(names[p], "m" + std::to_string(scripts[p].machine), names,
                   [steps = scripts[p].steps](MessageCalls& calls) {
                     for (const Step& step : steps) {
                       switch (step.kind) {
                         case Step::Kind::compute:
                           calls.compute(Duration{step.work_ns});
                           break;
                         case Step::Kind::receive:
                           calls.receive_message();
                           break;
                         case Step::Kind::send:
                           calls.send_message(calls.link_to("p" + std::to_string(step.to)), message_of(1, step.bytes));
                           break;
                       }
                     }
                   });
  }
  return system.run();
}

}  // namespace

TEST_CASE("sim: random systems behave as in the obvious simulator", "[sim]") {
  const std::vector<SlowMachine> machines = {{1, 1}, {2, 1}, {.7, 2}};
  const DelayModel delays = DelayModel::demos_vax();
  int deadlocks = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    INFO("seed " << seed);
    Random random(seed);
    const auto scripts = random_scripts(random, 2 + random.below(8), machines.size());
    SlowSimulator slow(machines, delays, scripts);
    const auto& expected = slow.run();
    const Outcome outcome = simulate(machines, delays, scripts);
    REQUIRE(outcome.error == "");
    if (outcome.truth.deadlocked) ++deadlocks;
    for (std::size_t p = 0; p < scripts.size(); ++p) {
      const std::string name = "p" + std::to_string(p);
      INFO("process " << name);
      std::vector<int> received_from;
      for (const Event& event : outcome.of(name, EventType::receive))
        received_from.push_back(static_cast<int>(event.peer.value));
      REQUIRE(received_from == expected[p].received_from);
      const double difference_ns = std::fabs(static_cast<double>(outcome.truth_of(name).last_activity.ns) -
                                             static_cast<double>(expected[p].last_activity_ns));
      REQUIRE(difference_ns < 100);  // of a second or so: thirty steps, each rounded to nanoseconds
      REQUIRE((outcome.truth_of(name).final_state == "ended") ==
              (expected[p].state == SlowSimulator::Process::State::ended));
    }
  }
  CHECK(deadlocks > 0);
  CHECK(deadlocks < 60);
}

// The simulator under the contract of every source: nothing to run, one event, a busy computation on skewed clocks, a
// crash.
#include "backends/sim/sim_source.hpp"
#include "tests/contract/scenarios.hpp"
#include "tests/contract/source_contract.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_source.hpp"

using namespace dpm;

namespace {

SourceFactory simulating(const Scenario& scenario) {
  return [scenario] { return std::make_unique<SimSource>(scenario); };
}

Recording recorded(const Scenario& scenario) {
  SimSource source(scenario);
  auto recording = record(source);
  REQUIRE(recording.has_value());
  return std::move(recording).value();
}

}  // namespace

TEST_CASE("sim contract: a scenario without processes", "[contract][sim]") {
  CHECK(check_source_contract(simulating(two_machines())) == std::vector<std::string>{});
  CHECK(recorded(two_machines()).events.empty());
}

TEST_CASE("sim contract: one event", "[contract][sim]") {
  Scenario scenario = two_machines();
  auto sender = metered_process("sender", "red", [](MessageCalls& calls) {
    calls.send_message(calls.link_to("receiver"), {.code = 1, .length_bytes = 10});
  });
  sender.links = {"receiver"};
  sender.flags = apply_flags(MeterFlags{}, "send").value();
  auto receiver = metered_process("receiver", "blue", [](MessageCalls& calls) { calls.receive_message(); });
  receiver.flags = MeterFlags{};
  scenario.processes = {sender, receiver};

  CHECK(check_source_contract(simulating(scenario)) == std::vector<std::string>{});
  const Recording recording = recorded(scenario);
  REQUIRE(recording.events.size() == 1);
  CHECK(recording.events.front().type == EventType::send);
}

TEST_CASE("sim contract: a busy computation on two machines with clocks of their own", "[contract][sim]") {
  const Scenario scenario = busy_server(5, 40);
  CHECK(check_source_contract(simulating(scenario)) == std::vector<std::string>{});
  CHECK(recorded(scenario).events.size() > 5 * 40 * 6);
}

TEST_CASE("sim contract: every size of meter buffer delivers the same events", "[contract][sim]") {
  Scenario scenario = busy_server(3, 10);
  const std::size_t events = recorded(scenario).events.size();
  for (const std::uint32_t buffered_events : {1u, 7u, 1000u}) {
    INFO(buffered_events << " events to a meter message");
    scenario.meter.buffered_events = buffered_events;
    CHECK(check_source_contract(simulating(scenario)) == std::vector<std::string>{});
    CHECK(recorded(scenario).events.size() == events);
  }
}

TEST_CASE("sim contract: what a failing machine takes with it is counted", "[contract][sim]") {
  Scenario scenario = busy_server(4, 40);
  scenario.meter.buffered_events = 50;
  scenario.time_limit = Duration::from_seconds(30);  // the clients of the dead server wait without end
  scenario.faults = {{Duration::from_seconds(0.5), FaultKind::machine_off, "red", ""}};
  CHECK(check_source_contract(simulating(scenario)) == std::vector<std::string>{});
  CHECK(recorded(scenario).losses.lost() > 0);
}

// The simulator under the contract of every source: nothing to run, one event, a busy computation on skewed clocks, a
// crash.
#include "backends/sim/sim_source.hpp"
#include "tests/contract/source_contract.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/memory_source.hpp"

using namespace dpm;

namespace {

constexpr std::uint32_t kRequest = 1;
constexpr std::uint32_t kReply = 2;

SourceFactory simulating(const Scenario& scenario) {
  return [scenario] { return std::make_unique<SimSource>(scenario); };
}

Recording recorded(const Scenario& scenario) {
  SimSource source(scenario);
  auto recording = record(source);
  REQUIRE(recording.has_value());
  return std::move(recording).value();
}

Scenario two_machines() {
  Scenario scenario;
  scenario.name = "contract";
  scenario.delays = DelayModel::demos_vax();
  scenario.machines = {{"red", 1, {Duration::from_seconds(5), 40, Duration{1000}}}, {"blue", 0.5, {}}};
  scenario.filters = {{"filter", "red"}};
  return scenario;
}

ProcessDescription process(const std::string& name, const std::string& machine, Program program) {
  ProcessDescription description;
  description.name = name;
  description.program_name = name;
  description.program = std::move(program);
  description.machine = machine;
  description.flags = MeterFlags::all();
  description.filter = "filter";
  return description;
}

// Answers `requests` CALLs, each after some work of its own length.
Program server(int requests) {
  return [requests](MessageCalls& calls) {
    for (int request = 0; request < requests; ++request) {
      const Message message = calls.receive_message();
      calls.compute(Duration::from_seconds(calls.random().exponential(0.01)));
      calls.reply(message, {.code = kReply, .length_bytes = 1000});
    }
  };
}

Program client(int requests) {
  return [requests](MessageCalls& calls) {
    const LinkIndex to_server = calls.link_to("server");
    for (int request = 0; request < requests; ++request) {
      calls.compute(Duration::from_seconds(calls.random().exponential(0.005)));
      calls.destroy_link(calls.duplicate_link(to_server));
      calls.call(to_server, {.code = kRequest, .length_bytes = 100});
    }
  };
}

Scenario busy(int clients, int requests) {
  Scenario scenario = two_machines();
  scenario.processes.push_back(process("server", "red", server(clients * requests)));
  for (int number = 0; number < clients; ++number) {
    auto description = process("client" + std::to_string(number), number % 2 == 0 ? "red" : "blue", client(requests));
    description.links = {"server"};
    scenario.processes.push_back(std::move(description));
  }
  return scenario;
}

}  // namespace

TEST_CASE("sim contract: a scenario without processes", "[contract][sim]") {
  CHECK(check_source_contract(simulating(two_machines())) == std::vector<std::string>{});
  CHECK(recorded(two_machines()).events.empty());
}

TEST_CASE("sim contract: one event", "[contract][sim]") {
  Scenario scenario = two_machines();
  auto sender = process("sender", "red", [](MessageCalls& calls) {
    calls.send_message(calls.link_to("receiver"), {.code = kRequest, .length_bytes = 10});
  });
  sender.links = {"receiver"};
  sender.flags = apply_flags(MeterFlags{}, "send").value();
  auto receiver = process("receiver", "blue", [](MessageCalls& calls) { calls.receive_message(); });
  receiver.flags = MeterFlags{};
  scenario.processes = {sender, receiver};

  CHECK(check_source_contract(simulating(scenario)) == std::vector<std::string>{});
  const Recording recording = recorded(scenario);
  REQUIRE(recording.events.size() == 1);
  CHECK(recording.events.front().type == EventType::send);
}

TEST_CASE("sim contract: a busy computation on two machines with clocks of their own", "[contract][sim]") {
  const Scenario scenario = busy(5, 40);
  CHECK(check_source_contract(simulating(scenario)) == std::vector<std::string>{});
  CHECK(recorded(scenario).events.size() > 5 * 40 * 6);
}

TEST_CASE("sim contract: every size of meter buffer delivers the same events", "[contract][sim]") {
  Scenario scenario = busy(3, 10);
  const std::size_t events = recorded(scenario).events.size();
  for (const std::uint32_t buffered_events : {1u, 7u, 1000u}) {
    INFO(buffered_events << " events to a meter message");
    scenario.meter.buffered_events = buffered_events;
    CHECK(check_source_contract(simulating(scenario)) == std::vector<std::string>{});
    CHECK(recorded(scenario).events.size() == events);
  }
}

TEST_CASE("sim contract: what a failing machine takes with it is counted", "[contract][sim]") {
  Scenario scenario = busy(4, 40);
  scenario.meter.buffered_events = 50;
  scenario.time_limit = Duration::from_seconds(30);  // the clients of the dead server wait for ever
  scenario.faults = {{Duration::from_seconds(0.5), FaultKind::machine_off, "red", ""}};
  CHECK(check_source_contract(simulating(scenario)) == std::vector<std::string>{});
  CHECK(recorded(scenario).losses.lost() > 0);
}

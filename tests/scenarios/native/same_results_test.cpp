// The shipped scenarios, run natively, do what they do simulated: the same lines, the same messages between the same
// processes.
#include <csignal>
#include <map>

#include "backends/sim/sim_source.hpp"
#include "scenarios/native/native_run.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// What a run comes to, without any time. (Parts of the data that are moved count as messages.)
struct Results {
  std::vector<PrintedLine> printed;
  std::string ended_by;
  std::map<std::pair<std::string, std::string>, std::pair<std::uint64_t, std::uint64_t>> traffic;  // messages, bytes
  std::map<std::pair<std::string, std::uint32_t>, std::uint64_t> kinds;  // sent by process and code, without data
  std::map<std::string, std::uint64_t> received;
};

class Counter : public EventSink {
 public:
  Results results;

  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch) {
      const std::string& process = (*info_)[event.process].name;
      if (event.type == EventType::receive) ++results.received[process];
      if (event.type != EventType::send) continue;
      auto& [messages, bytes] = results.traffic[{process, (*info_)[event.peer].name}];
      ++messages;
      bytes += event.length_bytes;
      if ((event.flags & event_flags::kKernelMessage) == 0) ++results.kinds[{process, event.code}];
    }
  }
  void on_end(const LossReport&) override {}

 private:
  const TraceInfo* info_ = nullptr;
};

Scenario load(const std::string& name, const std::map<std::string, double>& parameters) {
  const auto file = load_scenario(test::source_folder() / "scenarios" / name, shipped_programs());
  INFO((file ? "" : file.error().what));
  REQUIRE(file.has_value());
  Overrides overrides;
  overrides.parameters = parameters;
  auto scenario = instantiate(*file, overrides);
  INFO((scenario ? "" : scenario.error().what));
  REQUIRE(scenario.has_value());
  return *std::move(scenario);
}

Results simulate(const Scenario& scenario) {
  SimSource source(scenario);
  Counter counter;
  const auto done = source.run(counter);
  INFO((done ? "" : done.error().what));
  REQUIRE(done.has_value());
  counter.results.printed = source.truth().printed;
  counter.results.ended_by = source.truth().ended_by;
  return counter.results;
}

Results run_for_real(const Scenario& scenario) {
  const auto outcome = run_native(scenario);
  INFO((outcome ? outcome->failure : outcome.error().what));
  REQUIRE(outcome.has_value());
  if (outcome->signal != 0) std::raise(SIGKILL);  // who ends this program means all of it
  REQUIRE(outcome->failure.empty());
  Results results;
  results.printed = outcome->printed;
  results.ended_by = outcome->ended_by;
  for (const auto& each : outcome->traffic) results.traffic[{each.from, each.to}] = {each.messages, each.bytes};
  for (const auto& process : outcome->processes) {
    if (process.messages_received > 0) results.received[process.name] = process.messages_received;
    for (const auto& kind : process.kinds)
      if (kind.sent > 0) results.kinds[{process.name, kind.code}] = kind.sent;
  }
  return results;
}

void check_same(const std::string& scenario_name, const std::map<std::string, double>& parameters) {
  const Scenario scenario = load(scenario_name, parameters);
  const Results simulated = simulate(scenario);
  const Results native = run_for_real(scenario);
  CHECK(native.ended_by == simulated.ended_by);
  CHECK(native.printed == simulated.printed);
  CHECK(native.traffic == simulated.traffic);
  CHECK(native.kinds == simulated.kinds);
  CHECK(native.received == simulated.received);
  CHECK_FALSE(simulated.traffic.empty());
}

}  // namespace

TEST_CASE("native: ping-pong is what it is simulated", "[native]") {
  check_same("ping-pong", {{"rounds", 50}});
  check_same("ping-pong", {{"rounds", 3}, {"bytes", 200'000}});
}

TEST_CASE("native: the pipeline is what it is simulated", "[native]") {
  check_same("pipeline", {{"items", 12}, {"middle_s", 0.001}});
}

// With `in_turn` the balancer deals out requests as they come, which is a matter of time.
TEST_CASE("native: the replicated service is what it is simulated, when the balancer draws from the request",
          "[native]") {
  check_same("replicated-service", {{"clients", 3}, {"requests", 5}, {"in_turn", 0}, {"at_random", 1}});
}

TEST_CASE("native: the file system is what it is simulated", "[native]") {
  check_same("file-system", {{"users", 1}, {"requests", 20}});
  check_same("file-system",
             {{"users", 3}, {"requests", 5}, {"oblivious", 1}});  // what is in the buffers is a matter of time
}

// Which server works on which piece is a matter of time; what is found, and how much is done for it, is not.
TEST_CASE("native: the travelling salesman finds the same tour in every version, with 4 to 16 servers",
          "[native][tsp]") {
  for (int version = 1; version <= 3; ++version) {
    for (int servers = 4; servers <= 16; ++servers) {
      INFO("version " << version << ", " << servers << " servers");
      const Scenario scenario = load("tsp", {{"size", 9}, {"version", version}, {"servers", servers}});
      const Results simulated = simulate(scenario);
      const Results native = run_for_real(scenario);
      REQUIRE(simulated.printed.size() == 1);
      CHECK_THAT(simulated.printed[0].text, Catch::StartsWith("the best tour costs "));
      CHECK(native.printed == simulated.printed);
      const auto of_controller = [](const Results& results) {
        std::vector<std::uint64_t> counts = {results.received.at("controller")};
        for (const auto& [who_and_code, count] : results.kinds)
          if (who_and_code.first == "controller") counts.push_back(count);
        return counts;
      };
      CHECK(of_controller(native) == of_controller(simulated));
    }
  }
}

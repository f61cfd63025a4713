// The shipped scenarios of the scenario language do what their READMEs say, simulated, and end natively.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <map>

#include "backends/sim/sim_source.hpp"
#include "scenarios/native/native_run.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr std::size_t kLinesMost = 60;  // of a scenario that is to be read

using Settings = std::map<std::string, double>;

Scenario load(const std::string& name, const Settings& parameters = {}) {
  const auto file = load_scenario(test::source_folder() / "scenarios" / name, shipped_programs());
  INFO((file ? "" : file.error().what));
  REQUIRE(file.has_value());
  auto scenario = instantiate(*file, {.parameters = parameters});
  INFO((scenario ? "" : scenario.error().what));
  REQUIRE(scenario.has_value());
  return *std::move(scenario);
}

// The SENDs of a run, by process.
class Sends : public EventSink {
 public:
  std::map<std::string, std::vector<Event>> of;

  void on_begin(const TraceInfo& info) override { info_ = &info; }
  void on_events(std::span<const Event> batch) override {
    for (const Event& event : batch)
      if (event.type == EventType::send) of[(*info_)[event.process].name].push_back(event);
  }
  void on_end(const LossReport&) override {}

 private:
  const TraceInfo* info_ = nullptr;
};

SimTruth simulate(const Scenario& scenario, Sends& sends) {
  SimSource source(scenario);
  const auto done = source.run(sends);
  INFO((done ? "" : done.error().what));
  REQUIRE(done.has_value());
  CHECK(source.truth().ended_by == "every process ended");
  return source.truth();
}

SimTruth simulate(const Scenario& scenario) {
  Sends sends;
  return simulate(scenario, sends);
}

std::uint64_t cpu_of(const SimTruth& truth, const std::string& process) {
  for (const auto& each : truth.processes)
    if (each.name == process) return each.cpu_time_ns;
  return 0;
}

void check_native(const std::string& name, const Settings& parameters) {
  const auto outcome = run_native(load(name, parameters));
  INFO((outcome ? outcome->failure : outcome.error().what));
  REQUIRE(outcome.has_value());
  if (outcome->signal != 0) std::raise(SIGKILL);  // a user who ends this program means all of it
  CHECK(outcome->ended_by == "every process ended");
}

}  // namespace

TEST_CASE("language scenarios: each has at most 60 lines", "[native]") {
  for (const char* name : {"ring", "least-busy", "two-phase-commit", "broker"}) {
    const std::string text = test::read_text(test::source_folder() / "scenarios" / name / "scenario.json");
    INFO(name);
    CHECK(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) <= kLinesMost);
  }
}

TEST_CASE("language scenarios: the token goes round rings of any size", "[native]") {
  for (const double members : {1.0, 2.0, 5.0, 16.0}) {
    const SimTruth truth = simulate(load("ring", {{"members", members}, {"laps", 20}}));
    CHECK(truth.messages_delivered == 1 + static_cast<std::uint64_t>(21 * members));  // with the start and the end
    CHECK(truth.messages_dropped == 0);
    CHECK(truth.parallelism() < 1);
  }
  check_native("ring", {{"members", 5}, {"laps", 5}});
  check_native("ring", {{"members", 1}, {"laps", 5}});
}

TEST_CASE("language scenarios: unequal back ends are faster when the least busy one gets the request", "[native]") {
  const SimTruth least_busy = simulate(load("least-busy", {{"clients", 24}}));
  const SimTruth in_turn = simulate(load("least-busy", {{"clients", 24}, {"least_busy", 0}, {"in_turn", 1}}));
  CHECK(least_busy.makespan.seconds() < 0.8 * in_turn.makespan.seconds());
  CHECK(least_busy.messages_delivered == 24 * 100 * 4);
  CHECK(in_turn.messages_delivered == 24 * 100 * 4);
  check_native("least-busy", {{"clients", 3}, {"requests", 3}});
}

TEST_CASE("language scenarios: a transaction commits when all vote yes in time", "[native]") {
  // What the coordinator decides, in order: the code of the message to the first participant. Kinds are numbered.
  const auto decisions = [](const Settings& parameters) {
    Sends sends;
    simulate(load("two-phase-commit", parameters), sends);
    std::vector<std::uint32_t> decided;
    const auto& sent = sends.of["coordinator"];
    for (std::size_t i = 0; i < sent.size(); ++i)
      if (sent[i].length_bytes == 50 && (i == 0 || sent[i - 1].length_bytes != 50)) decided.push_back(sent[i].code);
    return decided;
  };
  const auto undisturbed = decisions({{"fails_at_s", 1000}});
  const auto disturbed = decisions({});
  REQUIRE(undisturbed.size() == 100);
  REQUIRE(disturbed.size() == 100);
  const std::uint32_t commit = undisturbed.front();  // the first transaction commits
  CHECK(std::count(undisturbed.begin(), undisturbed.end(), commit) > 70);
  // Until the host fails the runs are the same. Then all transactions abort for 10 s, of which each waits 0.5 for a vote.
  const auto failed = std::mismatch(disturbed.begin(), disturbed.end(), undisturbed.begin()).first - disturbed.begin();
  CHECK(failed > 20);
  const auto back = std::find(disturbed.begin() + failed, disturbed.end(), commit);
  CHECK(back - disturbed.begin() - failed >= 15);
  CHECK(back - disturbed.begin() - failed <= 20);
  CHECK(std::count(back, disturbed.end(), commit) > 15);
  // Votes that take longer than the timeout: those of one transaction never commit the next one.
  const auto impatient = decisions({{"fails_at_s", 1000}, {"timeout_s", 0.01}});
  REQUIRE(impatient.size() == 100);
  CHECK(std::count(impatient.begin(), impatient.end(), commit) == 0);
}

// A queue with Poisson arrivals, exponential service and room for N loses the share (1 - r) r^K / (1 - r^(K + 1)), with r
// arrivals per service and K = N + 1: M/M/1/K.
TEST_CASE("language scenarios: a limited queue loses what queueing theory says", "[native]") {
  const auto lost_share = [](int room, double arrivals_per_service, bool drop_oldest) {
    constexpr int kItems = 20'000;
    const std::string text = fmt::format(
        R"({{"name": "loss", "machines": ["red", "blue", "green"], "delays": "zero",
        "programs": {{
          "source": {{"start": [{{"repeat": {}, "do": [{{"sleep_s": {{"exponential": {}}}}},
                                                      {{"send": "item", "to": "server", "bytes": 100}}]}}]}},
          "server": {{"queue": {{"at_most": {}, "drop_oldest": {}, "do": [{{"send": "full", "to": "list", "bytes": 10}}]}},
                     "on": [{{"kind": "item", "do": [{{"compute_s": {{"exponential": 1}}}}]}}]}},
          "list": {{"on": [{{"kind": "full", "do": []}}]}}}},
        "processes": [{{"name": "source", "program": "source", "machine": "red"}},
                      {{"name": "server", "program": "server", "machine": "blue"}},
                      {{"name": "list", "program": "list", "machine": "green"}}]}})",
        kItems, 1 / arrivals_per_service, room, drop_oldest);
    Sends sends;
    SimSource source(test::scenario_of(text));
    const auto done = source.run(sends);
    INFO((done ? "" : done.error().what));
    REQUIRE(done.has_value());
    return static_cast<double>(sends.of["server"].size()) / kItems;
  };
  const auto expected_share = [](int room, double r) {
    const int k = room + 1;
    return r == 1 ? 1.0 / (k + 1) : (1 - r) * std::pow(r, k) / (1 - std::pow(r, k + 1));
  };
  for (const auto& [room, r] : {std::pair{0, .5}, {0, 2.}, {3, .5}, {3, 1.}, {3, 2.}, {10, 1.2}})
    for (const bool drop_oldest : {false, true}) {
      INFO(room << " places, " << r << " arrivals per service" << (drop_oldest ? ", oldest" : ""));
      CHECK(lost_share(room, r, drop_oldest) == Approx(expected_share(room, r)).margin(.012));
    }
}

TEST_CASE("language scenarios: readers get what they have subscribed to, until they leave", "[native]") {
  Sends sends;
  const SimTruth truth = simulate(load("broker"), sends);
  CHECK(truth.messages_dropped == 0);
  for (int reader = 1; reader <= 12; ++reader) CHECK(cpu_of(truth, "reader_" + std::to_string(reader)) > 0);
  std::map<std::uint32_t, std::size_t> items;  // by receiver
  for (const Event& event : sends.of["broker"])
    if (event.length_bytes > 20) ++items[event.peer.value];
  REQUIRE(items.size() == 12);
  for (const auto& [reader, count] : items) CHECK((count >= 20 && count <= 24));  // some are under way when it leaves
  check_native("broker", {{"readers", 4}, {"items", 3}, {"pause_s", 0.01}});
}

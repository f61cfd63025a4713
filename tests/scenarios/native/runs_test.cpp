// tests/scenarios/runs/NAME.json, simulated, comes to what NAME.expect says; run natively, to the same messages. DPM_BLESS=1 writes the
// .expect files again.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <filesystem>
#include <map>

#include "backends/sim/sim_source.hpp"
#include "scenarios/native/native_run.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

struct Ignored : EventSink {
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event>) override {}
  void on_end(const LossReport&) override {}
};

std::string milliseconds(double ns) { return fmt::format("{:.3f} ms", ns * 1e-6); }

std::string text_of(const SimTruth& truth) {
  std::string text = fmt::format("{} after {}, {} delivered, {} dropped\n", truth.ended_by,
                                 milliseconds(static_cast<double>(truth.makespan_all.ns)), truth.messages_delivered,
                                 truth.messages_dropped);
  for (const std::string& blocked : truth.blocked) text += blocked + "\n";
  for (const ProcessTruth& process : truth.processes)
    text += fmt::format("{}: CPU {}, {} sent, {} received, each waited {}, at most {} waited\n", process.name,
                        milliseconds(static_cast<double>(process.cpu_time_ns)), process.messages_sent,
                        process.messages_received,
                        milliseconds(process.queue_area_ns /
                                     static_cast<double>(std::max<std::uint64_t>(1, process.messages_received))),
                        process.queue_max);
  return text;
}

Scenario load(const std::filesystem::path& file) {
  const auto parsed = load_scenario(file, shipped_programs());
  INFO((parsed ? "" : parsed.error().what));
  REQUIRE(parsed.has_value());
  auto scenario = instantiate(*parsed, {});
  INFO((scenario ? "" : scenario.error().what));
  REQUIRE(scenario.has_value());
  return *std::move(scenario);
}

bool loses_messages(const Scenario& scenario) {
  return std::any_of(scenario.network.begin(), scenario.network.end(), [](const auto& link) { return link.loss > 0; });
}

// Every message of the simulation was sent in the native run.
void check_natively(const Scenario& scenario, const SimTruth& simulated) {
  const auto outcome = run_native(scenario);
  if (loses_messages(scenario)) {
    REQUIRE_FALSE(outcome.has_value());
    CHECK_THAT(outcome.error().what, Catch::Contains("its network loses messages"));
    return;
  }
  INFO((outcome ? outcome->failure : outcome.error().what));
  REQUIRE(outcome.has_value());
  if (outcome->signal != 0) std::raise(SIGKILL);  // who ends this program means all of it
  CHECK(outcome->failure.empty());
  CHECK(outcome->ended_by == simulated.ended_by);
  CHECK(outcome->blocked == simulated.blocked);
  std::map<std::string, std::uint64_t> sent;
  for (const NativeTraffic& each : outcome->traffic) sent[each.from] += each.messages;
  for (const ProcessTruth& process : simulated.processes) {
    INFO(process.name);
    CHECK(sent[process.name] == process.messages_sent);
  }
}

}  // namespace

TEST_CASE("runs: scenarios come to what is written beside them, and natively to the same messages", "[native]") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() / "tests/scenarios/runs"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  REQUIRE(files.size() >= 8);
  for (const auto& file : files) {
    INFO(file.string());
    const Scenario scenario = load(file);
    SimSource source(scenario);
    Ignored sink;
    const auto done = source.run(sink);
    INFO((done ? "" : done.error().what));
    REQUIRE(done.has_value());
    auto expect_file = file;
    expect_file.replace_extension(".expect");
    if (std::getenv("DPM_BLESS") != nullptr) std::ofstream(expect_file) << text_of(source.truth());
    CHECK(text_of(source.truth()) == test::read_text(expect_file));
    check_natively(scenario, source.truth());
  }
}

TEST_CASE("runs: as many messages are lost as should be, each is counted, and a seed loses the same ones", "[native]") {
  constexpr double kMessages = 20'000, kLoss = 0.2;
  const std::string text = R"({"name": "t", "machines": ["a", "b"], "delays": "zero", "services_finish": true,
    "network": [{"loss": 0.2, "delay_s": {"uniform": [0.001, 0.003]}}],
    "programs": {"p": {"start": [{"repeat": 20000, "do": [{"send": "x", "to": "q", "bytes": 20}, {"sleep_s": 0.01}]}]},
                 "q": {"on": [{"kind": "x", "do": []}]}},
    "processes": [{"name": "p", "program": "p", "machine": "a"}, {"name": "q", "program": "q", "machine": "b"}]})";
  const auto run = [&](std::uint64_t seed) {
    Scenario scenario = test::scenario_of(text);
    scenario.seed = seed;
    SimSource source(scenario);
    Ignored sink;
    REQUIRE(source.run(sink).has_value());
    return source.truth();
  };
  const SimTruth first = run(1), again = run(1), other = run(2);
  CHECK(static_cast<double>(first.messages_dropped) ==
        Approx(kMessages * kLoss).margin(5 * std::sqrt(kMessages * kLoss * (1 - kLoss))));
  CHECK(static_cast<double>(first.messages_delivered + first.messages_dropped) == kMessages);
  CHECK((first.messages_dropped == again.messages_dropped && first.makespan_all == again.makespan_all));
  CHECK((first.messages_dropped != other.messages_dropped || first.makespan_all != other.makespan_all));
}

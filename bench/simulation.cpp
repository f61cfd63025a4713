// links: dpm_sim dpm_scenarios
// How fast is the simulator, and what does metering cost it? The file system of scenarios/file-system with many
// requests, with and without meters, and a ring of ten thousand processes that pass a token. Goal: 100,000 messages a
// second of wall time.
#include <cstdio>
#include <cstdlib>

#include "backends/sim/sim_source.hpp"
#include "bench/measure.hpp"
#include "scenarios/program_registry.hpp"
#include "scenarios/scenario_file.hpp"

namespace {

class CountingSink : public dpm::EventSink {
 public:
  void on_begin(const dpm::TraceInfo&) override {}
  void on_events(std::span<const dpm::Event> batch) override { events += batch.size(); }
  void on_end(const dpm::LossReport&) override {}
  std::uint64_t events = 0;
};

dpm::SimTruth simulate(const dpm::Scenario& scenario, std::uint64_t& events) {
  CountingSink sink;
  dpm::SimSource source(scenario);
  if (auto done = source.run(sink); !done) {
    std::fprintf(stderr, "bench_simulation: %s\n", done.error().what.c_str());
    std::exit(1);
  }
  events = sink.events;
  return source.truth();
}

dpm::Scenario file_system() {
  const auto file = dpm::load_scenario("scenarios/file-system/scenario.json", dpm::shipped_programs());
  if (!file) {
    std::fprintf(stderr, "bench_simulation: %s (run it from the project's root)\n", file.error().what.c_str());
    std::exit(1);
  }
  dpm::Overrides overrides;
  overrides.parameters["requests"] = 3000;
  return dpm::instantiate(*file, overrides).value();
}

// Process i waits for the token and passes it to process i + 1.
dpm::Scenario ring(std::size_t processes, int rounds) {
  dpm::Scenario scenario;
  scenario.name = "ring";
  scenario.delays = dpm::DelayModel::demos_vax();
  scenario.machines = {{.name = "red"}};
  for (std::size_t i = 0; i < processes; ++i) {
    const std::string next = "p" + std::to_string((i + 1) % processes);
    scenario.processes.push_back({.name = "p" + std::to_string(i),
                                  .program_name = "ring",
                                  .program =
                                      [i, rounds, next](dpm::MessageCalls& calls) {
                                        for (int round = 0; round < rounds; ++round) {
                                          if (i != 0 || round != 0) calls.receive_message();
                                          calls.send_message(calls.link_to(next), {.length_bytes = 10});
                                        }
                                      },
                                  .machine = "red",
                                  .links = {next}});
  }
  return scenario;
}

}  // namespace

int main() {
  dpm::Scenario metered = file_system();
  dpm::Scenario unmetered = metered;
  for (auto& process : unmetered.processes) process.flags = dpm::MeterFlags{};
  std::uint64_t events = 0;
  const std::uint64_t messages = simulate(metered, events).messages_delivered;
  std::printf("simulation, file system: %llu messages, %llu events\n", static_cast<unsigned long long>(messages),
              static_cast<unsigned long long>(events));
  dpm::print_ratio("simulation, file system", dpm::Way{"unmetered processes", [&] { simulate(unmetered, events); }},
                   dpm::Way{"metered ones", [&] { simulate(metered, events); }}, messages, "message");

  const dpm::Scenario large = ring(10'000, 10);
  std::vector<double> seconds;
  std::uint64_t ring_messages = 0;
  auto run = [&] { ring_messages = simulate(large, events).messages_delivered; };
  for (int turn = 0; turn < 3; ++turn) seconds.push_back(dpm::seconds_of(run));
  std::printf("simulation, ring of 10000 processes: %.0f messages a second\n",
              static_cast<double>(ring_messages) / dpm::median(seconds));
}

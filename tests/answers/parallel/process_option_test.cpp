// A process is all its threads, for every command that takes --process.
#include <nlohmann/json.hpp>

#include "model/random.hpp"
#include "tests/answers/parallel/divided_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/trace/trace_fixture.hpp"

namespace dpm::test {
namespace {

// Some processes become threads of earlier ones on their machine.
Recording with_threads(Recording recording, std::uint64_t seed) {
  Random random(seed);
  auto& processes = recording.info.processes;
  for (std::uint32_t p = 1; p < processes.size(); ++p) {
    const ProcessId other{static_cast<std::uint32_t>(random.below(p))};
    const bool is_alike = processes[p].machine == processes[other.value].machine;
    if (is_alike && processes[other.value].group.is_none()) processes[p].group = other;
  }
  return recording;
}

nlohmann::json json_of(const CommandLine& line, const std::string& trace) {
  const Printed printed = alone(line, trace);
  INFO(printed.err);
  REQUIRE(printed.status == 0);
  return nlohmann::json::parse(printed.out);
}

}  // namespace

TEST_CASE("--process: parallelism, predict and statistics have the CPU time of all threads of a process", "[cli]") {
  const TemporaryFolder folder;
  int with_several = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Recording recording = with_threads(recording_of(seed), seed);
    const std::string trace = folder / ("trace" + std::to_string(seed));
    write_trace(trace, recording);
    for (std::uint32_t p = 0; p < recording.info.processes.size(); ++p) {
      const ProcessInfo& process = recording.info.processes[p];
      if (!process.group.is_none()) continue;
      INFO("seed " << seed << ", process " << process.name);
      double cpu_s = 0;
      std::size_t threads = 0;
      const nlohmann::json statistics =
          json_of({"statistics", "--json", "--threads", "--process", process.name}, trace);
      for (const auto& row : statistics["processes"]) {
        cpu_s += row["cpu_s"].get<double>();
        ++threads;
      }
      with_several += threads > 1 ? 1 : 0;
      const Printed parallel = alone({"parallelism", "--json", "--process", process.name}, trace);
      if (parallel.status != 0) {  // it sent and received nothing
        CHECK_THAT(parallel.err, Catch::Matchers::Contains("no SEND"));
        continue;
      }
      CHECK(nlohmann::json::parse(parallel.out)["as_it_ran"]["T_s"].get<double>() == Approx(cpu_s));
      const nlohmann::json predicted = json_of({"predict", "--json", "--process", process.name}, trace);
      CHECK(predicted["T_s"].get<double>() == Approx(cpu_s));
    }
  }
  CHECK(with_several > 20);
}

}  // namespace dpm::test

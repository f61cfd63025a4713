// links: dpm_sim dpm_scenarios dpm_filter dpm_trace
// Does the cost of simulating and recording a large system grow with its size, or faster? scenarios/crowd, whose clients
// may write to every front end, and pairs of processes on 200 machines: each with twice the processes and messages as
// before. Goals: a message costs at most 1.3 times as much; 72,000 messages among 2,000 processes take at most 10 s, and
// 10,000 processes in pairs at most 5 s.
#include <stdlib.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "backends/sim/sim_source.hpp"
#include "bench/measure.hpp"
#include "filter/event_filter.hpp"
#include "scenarios/program_registry.hpp"
#include "scenarios/scenario_file.hpp"
#include "trace/event_fields.hpp"
#include "trace/trace_writer.hpp"

namespace {

constexpr const char* kPairs = R"({
  "name": "pairs",
  "parameters": {"pairs": {"default": 1, "meaning": "askers, and servers"}},
  "machines": [{"name": "node", "count": 200}],
  "programs": {
    "asker": {"start": [{"repeat": 2, "do": [{"compute_s": 0.01}, {"call": "ask", "to": "server_${index}", "bytes": 100}]}]},
    "server": {"on": [{"kind": "ask", "do": [{"compute_s": 0.001}, {"reply": "answer", "bytes": 100}]}]}
  },
  "processes": [{"name": "asker", "count": "$pairs", "program": "asker", "machine": "node"},
                {"name": "server", "count": "$pairs", "program": "server", "machine": "node"}]
})";

template <typename T>
T need(dpm::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "bench_size: %s (run it from the project's root)\n", result.error().what.c_str());
  std::exit(1);
}

// Into a trace in `directory`, which is removed. Returns the number of messages.
std::uint64_t record(const dpm::Scenario& scenario, const std::string& directory) {
  dpm::SimSource source(scenario);
  std::vector<dpm::RuleSet> rules = {dpm::RuleSet::keep_all(dpm::event_layouts())};
  auto writer = need(dpm::TraceWriter::create(directory, dpm::describe_events({"default"}, rules)));
  dpm::EventFilter filter(std::move(rules), *writer);
  if (auto done = source.run(filter); !done) {
    std::fprintf(stderr, "bench_size: %s\n", done.error().what.c_str());
    std::exit(1);
  }
  std::filesystem::remove_all(directory);
  return source.truth().messages_delivered;
}

void grow(const char* what, const dpm::ScenarioFile& file, const char* parameter, const std::vector<double>& sizes,
          const std::string& directory) {
  double before_ns = 0;
  for (const double size : sizes) {
    dpm::Overrides overrides;
    overrides.parameters[parameter] = size;
    const dpm::Scenario scenario = need(dpm::instantiate(file, overrides));
    std::uint64_t messages = 0;
    auto run = [&] { messages = record(scenario, directory); };
    std::vector<double> seconds;
    for (int turn = 0; turn < 3; ++turn) seconds.push_back(dpm::seconds_of(run));
    const double ns = dpm::median(seconds) * 1e9 / static_cast<double>(messages);
    std::printf("size, %s: %zu processes, %llu messages: %.2f s", what, scenario.processes.size(),
                static_cast<unsigned long long>(messages), dpm::median(seconds));
    if (before_ns > 0) std::printf(", a message costs %.2f times as much as before", ns / before_ns);
    std::printf("\n");
    before_ns = ns;
  }
}

}  // namespace

int main() {
  std::string pattern = std::filesystem::temp_directory_path() / "dpm-bench-XXXXXX";
  if (::mkdtemp(pattern.data()) == nullptr) return 1;
  const std::string directory = pattern + "/trace";
  grow("crowd", need(dpm::load_scenario("scenarios/crowd/scenario.json", dpm::shipped_programs())), "clients",
       {1530, 3280, 6780}, directory);
  grow("pairs", need(dpm::parse_scenario(kPairs, "pairs.json", {})), "pairs", {1250, 2500, 5000}, directory);
  std::filesystem::remove_all(pattern);
}

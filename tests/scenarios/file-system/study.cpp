#include "tests/scenarios/file-system/study.hpp"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>

namespace dpm::test {
namespace {

// The analyses of one stream of events. Results are taken in on_end(): names are valid until then.
class Questions : public EventSink {
 public:
  HistoryBuilder builder{Computation{.only = kFour}};
  Statistics statistics;
  Queues queues;

  void on_begin(const TraceInfo& info) override {
    for (EventSink* sink : sinks_) sink->on_begin(info);
  }
  void on_events(std::span<const Event> batch) override {
    for (EventSink* sink : sinks_) sink->on_events(batch);
  }
  void on_end(const LossReport& losses) override {
    for (EventSink* sink : sinks_) sink->on_end(losses);
    statistics = statistics_analysis_.result();
    queues = queue_analysis_.result();
  }

 private:
  StatisticsAnalysis statistics_analysis_;
  QueueAnalysis queue_analysis_{{.series_max = 0}};
  std::vector<EventSink*> sinks_ = {&builder, &statistics_analysis_, &queue_analysis_};
};

template <typename T>
T need(Result<T> result) {
  if (!result) throw std::runtime_error(result.error().what);
  return std::move(*result);
}

void need(const Result<void>& result) {
  if (!result) throw std::runtime_error(result.error().what);
}

ProcessId id_of(const TraceInfo& info, const std::string& name) {
  for (std::uint32_t p = 0; p < info.processes.size(); ++p)
    if (info.processes[p].name == name) return ProcessId{p};
  throw std::runtime_error("no process " + name);
}

double thesis_P(const History& history, const std::string& placement) {
  Overrides overrides;
  overrides.placement = placement;
  Placement target_placement = placement_of(scenario_of(overrides));
  std::erase_if(target_placement.machine_of_process,
                [](const auto& entry) { return std::find(kFour.begin(), kFour.end(), entry.first) == kFour.end(); });
  const auto target = need(resolve(history, target_placement));
  return need(measure_parallelism(history, target.target, SharingMethod::thesis1984)).delay_cpu.P;
}

double probability(const Causality& causality, ProcessId at, ProcessId from, ProcessId to) {
  for (const Branch& branch : causality.branching)
    if (branch.at == at && branch.from == from && branch.to == to) return branch.probability;
  return 0;
}

}  // namespace

const ScenarioFile& file_system() {
  static const ScenarioFile file = [] {
    const char* folder = std::getenv("DPM_SOURCE_DIR");
    const std::string source = folder == nullptr ? "." : folder;
    return need(load_scenario(source + "/scenarios/file-system/scenario.json", shipped_programs()));
  }();
  return file;
}

Scenario scenario_of(const Overrides& overrides) { return need(instantiate(file_system(), overrides)); }

Figures measure(std::uint64_t seed, std::map<std::string, double> parameters) {
  Overrides overrides;
  overrides.seed = seed;
  overrides.parameters = std::move(parameters);
  Questions questions;
  SimSource source(scenario_of(overrides));
  need(source.run(questions));
  const History history = need(questions.builder.take());

  Figures figures;
  figures.simulated_P = source.truth().parallelism();
  const auto traced = need(measure_parallelism(history, traced_target(history), SharingMethod::thesis1984));
  figures.no_delay = traced.no_delay.P;
  figures.traced_delay = traced.delay.P;
  figures.traced = traced.delay_cpu.P;
  figures.alone = thesis_P(history, "alone");
  figures.together = thesis_P(history, "together");
  for (const auto& process : questions.statistics.processes) {
    const std::string& name = history.info[process.process].name;
    figures.cpu_percent[name] = 100 * process.cpu_share;
    figures.sent_percent[name] = 100 * process.sent_share;
    figures.bytes_percent[name] = 100 * process.bytes_share;
    if (process.in_computation) figures.events += process.sent + process.received;
  }
  const TraceInfo& info = history.info;
  const ProcessId disk_interface = id_of(info, kFour[0]), buffer_manager = id_of(info, kFour[1]),
                  directory_manager = id_of(info, kFour[2]), request_interpreter = id_of(info, kFour[3]);
  const auto causality = need(find_causality(history));
  figures.disk_after_request = probability(causality, buffer_manager, request_interpreter, disk_interface);
  figures.disk_after_disk = probability(causality, buffer_manager, disk_interface, disk_interface);
  figures.directory_after_user = probability(causality, request_interpreter, ProcessId{}, directory_manager);
  for (const auto& queue : questions.queues.processes)
    if (queue.process == request_interpreter) figures.queue_mean = queue.length_mean;
  return figures;
}

}  // namespace dpm::test

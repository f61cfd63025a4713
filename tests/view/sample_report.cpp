#include "tests/view/sample_report.hpp"

#include <algorithm>
#include <cmath>

namespace dpm::testing {
namespace {

constexpr ProcessId kRequest{0}, kDirectory{1}, kBuffer{2}, kDisk{3}, kUser1{4}, kUser2{5}, kDrive{6};

void add_pair(Statistics& statistics, ProcessId from, ProcessId to, std::uint64_t messages, std::uint64_t size) {
  Traffic traffic;
  traffic.from = from;
  traffic.to = to;
  traffic.sent = messages;
  traffic.sent_bytes = messages * size;
  statistics.messages.push_back(traffic);
}

ProcessStatistics process(ProcessId id, double cpu, double sent, double bytes) {
  ProcessStatistics statistics;
  statistics.process = id;
  statistics.cpu_ns = static_cast<std::uint64_t>(cpu * 42e9);
  statistics.cpu_share = cpu;
  statistics.sent = static_cast<std::uint64_t>(sent * 12000);
  statistics.sent_bytes = static_cast<std::uint64_t>(bytes * 5.1e6);
  statistics.sent_share = sent;
  statistics.bytes_share = bytes;
  statistics.sent_remote = statistics.sent / 3;
  statistics.sent_local = statistics.sent - statistics.sent_remote;
  return statistics;
}

}  // namespace

TraceInfo sample_trace_info() {
  TraceInfo info;
  info.scenario = "filesystem";
  info.placement = "A";
  info.seed = 7;
  info.machines = {{"red", 1}, {"blue", 1}, {"green", 1}};
  info.processes = {{"request interpreter", "ri", MachineId{1}, 0, true},
                    {"directory manager", "dm", MachineId{1}, 0, true},
                    {"buffer manager", "bm", MachineId{0}, 0, true},
                    {"disk interface", "di", MachineId{0}, 0, true},
                    {"user1", "user", MachineId{2}, 0, false},
                    {"user2", "user", MachineId{2}, 0, false},
                    {"disk", "disk", MachineId{0}, 0, false}};
  return info;
}

Statistics sample_statistics() {
  Statistics statistics;
  statistics.processes = {process(kRequest, 0.18, 0.38, 0.17), process(kDirectory, 0.012, 0.02, 0.004),
                          process(kBuffer, 0.51, 0.33, 0.42), process(kDisk, 0.298, 0.27, 0.406)};
  add_pair(statistics, kUser1, kRequest, 1750, 60);
  add_pair(statistics, kUser2, kRequest, 1640, 60);
  add_pair(statistics, kRequest, kUser1, 1745, 500);
  add_pair(statistics, kRequest, kUser2, 1632, 500);
  add_pair(statistics, kRequest, kBuffer, 3426, 80);
  add_pair(statistics, kBuffer, kRequest, 3372, 512);
  add_pair(statistics, kBuffer, kDisk, 1176, 90);
  add_pair(statistics, kDisk, kBuffer, 1086, 512);
  add_pair(statistics, kRequest, kDirectory, 141, 64);
  add_pair(statistics, kDirectory, kRequest, 138, 64);
  add_pair(statistics, kDisk, kDrive, 1176, 32);
  add_pair(statistics, kDrive, kDisk, 1170, 512);
  for (const std::uint32_t size : {40u, 60u, 60u, 80u, 80u, 80u, 90u, 500u, 500u, 512u, 512u, 512u, 512u, 1000u}) {
    for (int i = 0; i < 850; ++i) statistics.sizes.add(size);
  }
  for (std::uint16_t machine = 0; machine < 2; ++machine) {
    MachineStatistics density{MachineId{machine}, 0, 0, LocalTime{0}, LocalTime{0}, DensityHistogram(60)};
    double now = 0;
    while (now < 60) {
      now += 0.03 + 0.02 * std::sin(now / (6 + machine));
      density.density.add({static_cast<std::int64_t>(now * 1e9)});
      density.last_time = {static_cast<std::int64_t>(now * 1e9)};
      ++density.sent;
    }
    statistics.machines.push_back(density);
  }
  return statistics;
}

Queues sample_queues() {
  Queues queues;
  const std::vector<std::pair<ProcessId, double>> means = {
      {kRequest, 2.4}, {kDirectory, 0.02}, {kBuffer, 0.61}, {kDisk, 0.33}};
  for (const auto& [id, mean] : means) {
    QueueStatistics queue;
    queue.process = id;
    queue.measured = id != kDirectory;
    queue.received = 3390;
    queue.length_mean = mean;
    queue.length_max = static_cast<std::uint32_t>(mean * 3 + 1);
    for (std::uint64_t i = 0; i < 1000; ++i) queue.waits.add(i * i * static_cast<std::uint64_t>(mean * 100));
    for (std::int64_t i = 0; i < 80; ++i) {
      const double length = mean * (1 + 0.5 * std::sin(static_cast<double>(i) / 9));
      queue.series.push_back({{i * 750'000'000}, {750'000'000}, length, static_cast<std::uint32_t>(length + 1.5)});
    }
    queues.processes.push_back(queue);
  }
  return queues;
}

Causality sample_causality() {
  Causality causality;
  causality.letters = {"R", "M", "B", "D", "", "", ""};
  causality.requests = 3390;
  const ProcessId users{};
  causality.branching = {{kRequest, kDirectory, kBuffer, 27, 0.69}, {kRequest, kDirectory, kRequest, 12, 0.31},
                         {kRequest, kBuffer, users, 3372, 1},       {kRequest, users, kDirectory, 141, 0.04},
                         {kRequest, users, kBuffer, 3390, 0.96},    {kDirectory, kRequest, kRequest, 138, 1},
                         {kBuffer, kRequest, kRequest, 2553, 0.72}, {kBuffer, kRequest, kDisk, 981, 0.28},
                         {kBuffer, kDisk, kRequest, 819, 0.83},     {kBuffer, kDisk, kDisk, 162, 0.17},
                         {kDisk, kBuffer, kBuffer, 1086, 1}};
  causality.states = {
      {kRequest, kDirectory, 141, 0.02}, {kRequest, kBuffer, 3417, 0.49},  {kRequest, users, 3372, 0.49},
      {kDirectory, kRequest, 138, 1},    {kBuffer, kRequest, 3372, 0.747}, {kBuffer, kDisk, 1143, 0.253},
      {kDisk, kBuffer, 1086, 1},         {users, kRequest, 3390, 0.99},    {users, kBuffer, 33, 0.01}};
  causality.strings = {{"RBR", 2440, 3}, {"RBDBR", 689, 5}, {"RBDBDBR", 130, 7}, {"RMRBR", 90, 5}, {"RMR", 41, 3}};
  return causality;
}

Timeline sample_timeline() {
  Timeline timeline;
  timeline.from_ns = 1'200'000'000;
  timeline.to_ns = 1'800'000'000;
  timeline.rows = {
      {kBuffer, MachineId{0}}, {kDisk, MachineId{0}}, {kRequest, MachineId{1}}, {kDirectory, MachineId{1}}};
  const auto ms = [](double value) { return static_cast<std::uint64_t>(value * 1e6); };
  for (int i = 0; i < 6; ++i) {
    const double t = 1200 + 100.0 * i;
    timeline.segments.push_back({2, SegmentKind::busy, ms(t), ms(t + 22)});
    timeline.segments.push_back({2, SegmentKind::blocked, ms(t + 22), ms(t + 100)});
    timeline.segments.push_back({0, SegmentKind::blocked, ms(t), ms(t + 35)});
    timeline.segments.push_back({0, SegmentKind::busy, ms(t + 35), ms(t + 84)});
    timeline.segments.push_back({0, SegmentKind::blocked, ms(t + 84), ms(t + 100)});
    timeline.segments.push_back({1, SegmentKind::busy, ms(t + 62), ms(t + 90)});
    timeline.segments.push_back({1, SegmentKind::blocked, ms(t + 90), ms(std::min(t + 162, 1800.0))});
    timeline.arcs.push_back({2, 0, ms(t + 22), ms(t + 35), 80});
    timeline.arcs.push_back({0, 1, ms(t + 58), ms(t + 62), 90});
    timeline.arcs.push_back({1, 0, ms(t + 90), ms(t + 104), 512});
    timeline.arcs.push_back({0, 2, ms(t + 84), ms(t + 100), 512});
  }
  timeline.arcs.push_back({2, 3, ms(1300), ms(1330), 64});
  timeline.arcs.push_back({3, 2, ms(1345), ms(1402), 64});
  timeline.segments.push_back({3, SegmentKind::blocked, ms(1200), ms(1330)});
  timeline.segments.push_back({3, SegmentKind::busy, ms(1330), ms(1345)});
  timeline.segments.push_back({3, SegmentKind::blocked, ms(1345), ms(1800)});
  timeline.arcs_left_out = 3;
  timeline.outside_messages = 14;
  return timeline;
}

view::ReportInput sample_report() {
  using namespace view;
  const auto info = sample_trace_info();
  const auto statistics = sample_statistics();
  const auto queues = sample_queues();
  const auto causality = sample_causality();

  ReportInput report;
  report.title = "The DEMOS/MP file system, placement A";
  report.subtitle = "A simulated run, with the figures of the thesis beside it";
  report.headlines = {
      {"P, parallelism factor", "1.21",
       "With message delays and CPU sharing, the computation does 1.21 seconds of work a second."},
      {"T, total CPU time", "42.0 s", "Of the four processes of the file system."},
      {"t_max, longest path", "34.7 s", "No placement of the same work can end sooner than its longest path."}};
  report.facts = {{"Scenario", "filesystem"},
                  {"Placement", "A: {B, D} {R, M}"},
                  {"Seed", "7"},
                  {"Source", "sim"},
                  {"Machines", "3"},
                  {"Processes", "7"}};
  report.ledger =
      Ledger{48210, 46980, 1200, 30, 0, {{"machine 'red' failed with 30 events in its meter buffer", 30}}, {}};
  report.warnings = {
      "queues need MESSAGEQUEUED, not metered for: directory manager (set the meter flag messagequeued)"};

  Section parallelism{
      "Parallelism", "How much of the work happens at the same time, and what keeps it from being more.", {}};
  parallelism.figures.push_back(parallelism_figure(
      {{"no delays", 1.65, ""}, {"with delays", 1.43, ""}, {"delays and CPU sharing", 1.21, "T 42.0 s, t_max 34.7 s"}},
      2));
  parallelism.figures.push_back(critical_path_figure({{"buffer manager", 0.46},
                                                      {"disk interface", 0.24},
                                                      {"request interpreter", 0.16},
                                                      {"messages", 0.13},
                                                      {"directory manager", 0.01}}));
  parallelism.figures.push_back(
      comparison_figure({{"P, no delays", "1.65", "1.63",
                          "\xE2\x88\x92"
                          "1.2 %",
                          true, "thesis 5.3.1"},
                         {"P, delays and CPU sharing", "1.21", "1.21", "0.0 %", true, "thesis 5.3.1"},
                         {"CPU time, buffer manager", "51 %", "51 %", "", true, "figure 5.13"},
                         {"CPU time, directory manager", "1 %", "4 %", "+3 points", false, "figure 5.13"}}));
  for (auto& figure : sweep_figures({{1, 0.98, 0.31},
                                     {2, 1.21, 0.35},
                                     {3, 1.34, 0.38},
                                     {4, 1.42, 0.45},
                                     {5, 1.43, 1.38},
                                     {6, 1.43, 2.41},
                                     {7, 1.42, 3.4}},
                                    "users", "request interpreter")) {
    parallelism.figures.push_back(std::move(figure));
  }
  parallelism.figures.push_back(
      prediction_figure({"A", "B", "C"}, {{kNoValue, -3, 2}, {4, kNoValue, 3}, {2, -2, kNoValue}}, 5));

  Section messages{"Messages", "Who talks to whom, and where the time goes.", {}};
  messages.figures = {communication_figure(statistics, info), process_share_figure(statistics, info),
                      message_matrix_figure(statistics, info), hot_spots_figure(statistics, info),
                      message_size_figure(statistics)};
  for (auto& figure : density_figures(statistics, info, 1)) messages.figures.push_back(std::move(figure));

  Section waiting{"Queues", "Where messages wait.", {queue_figure(queues, info)}};
  for (auto& figure : queue_series_figures(queues, info)) waiting.figures.push_back(std::move(figure));

  Section paths{
      "Paths of requests",
      "What a request makes the server do.",
      {state_diagram_figure(causality, info), branching_figure(causality, info), common_paths_figure(causality, info)}};
  Section time{"In time", "", {space_time_figure(sample_timeline(), info)}};
  report.sections = {parallelism, messages, waiting, paths, time};
  report.made_by = "Made by a test";
  return report;
}

}  // namespace dpm::testing

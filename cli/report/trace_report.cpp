#include "cli/report/trace_report.hpp"

#include <algorithm>

#include "analysis/timeline/timeline.hpp"
#include "cli/report/state_diagram.hpp"
#include "cli/text_table.hpp"
#include "view/matrix_order.hpp"

namespace dpm::cli {
namespace {

using view::BarChart;
using view::Cell;
using view::Figure;
using view::HeatMap;
using view::Section;
using view::Table;

constexpr std::size_t kMostBars = 16;         // more bars than this say less than the table does
constexpr std::size_t kMostMatrixRows = 24;
constexpr double kWindowShare = .05;          // of the run, shown in the space-time diagram
constexpr std::uint64_t kWindowMessages = 60;  // about as many as can be told apart

Section parallelism_section(const Findings& found) {
  Section section{"How parallel it is", "P is the CPU time of all processes divided by the longest path through their history.", {}};
  BarChart steps;
  steps.title = "P by step";
  steps.description = "the parallelism factor without delays, with message delays, and with CPU sharing";
  steps.series = {"P"};
  steps.rows = {{"no delays", {found.parallelism.no_delay.P}, "what the program's structure allows"},
                {"message delays", {found.parallelism.delay.P}, "on the traced placement"},
                {"delays and CPU sharing", {found.parallelism.delay_cpu.P}, std::string(name_of(found.parallelism.method))}};
  steps.reference = view::ReferenceLine{1, "serial"};
  section.figures.push_back({"P in three steps", "What is lost from one bar to the next is lost to messages, then to sharing machines.",
                             steps, false});
  BarChart path;
  path.title = "The longest path";
  path.description = "share of the longest path by process and by message pair";
  path.series = {"share"};
  path.form = view::NumberForm::percent;
  const TraceInfo& info = found.history.info;
  for (const auto& share : found.path.processes)
    if (path.rows.size() < kMostBars / 2) path.rows.push_back({"work of " + info[share.process].name, {share.fraction}, ""});
  const std::size_t works = path.rows.size();
  for (const auto& share : found.path.messages)
    if (path.rows.size() < works + kMostBars / 2)
      path.rows.push_back({info[share.sender].name + " → " + info[share.receiver].name, {share.fraction}, ""});
  section.figures.push_back({"What the longest path is made of", "Making anything else faster does not help.", path, false});
  return section;
}

Section traffic_section(const Findings& found) {
  const TraceInfo& info = found.input.info;
  Section section{"Who talks to whom", "", {}};
  BarChart shares;
  shares.title = "CPU time and messages";
  shares.description = "share of CPU time, messages and bytes of each process of the computation";
  shares.series = {"CPU time", "messages sent", "bytes sent"};
  shares.form = view::NumberForm::percent;
  for (const auto& p : found.statistics.processes)
    if (p.in_computation && shares.rows.size() < kMostBars)
      shares.rows.push_back({info[p.process].name, {p.cpu_share, p.sent_share, p.bytes_share}, ""});
  section.figures.push_back({"Shares of each process", "Of the processes of the computation together.", shares, false});

  std::vector<ProcessId> talkers;
  for (const auto& p : found.statistics.processes) talkers.push_back(p.process);
  const auto index = [&](ProcessId process) {
    return static_cast<std::size_t>(std::find(talkers.begin(), talkers.end(), process) - talkers.begin());
  };
  for (const auto& t : found.statistics.messages)
    for (const ProcessId end : {t.from, t.to})
      if (index(end) == talkers.size()) talkers.push_back(end);
  if (talkers.size() > kMostMatrixRows) return section;
  std::vector<std::vector<double>> counts(talkers.size(), std::vector<double>(talkers.size(), 0));
  for (const auto& t : found.statistics.messages) counts[index(t.from)][index(t.to)] = static_cast<double>(t.messages());
  const auto order = view::order_for_diagonal(counts);
  HeatMap map;
  map.title = "Message matrix";
  map.description = "number of messages from each row to each column";
  map.row_title = "from";
  map.column_title = "to";
  map.legend = "messages";
  for (const std::size_t row : order) {
    map.rows.push_back(info[talkers[row]].name);
    map.columns.push_back(info[talkers[row]].name);
    map.values.emplace_back();
    map.texts.emplace_back();
    for (const std::size_t column : order) {
      map.values.back().push_back(counts[row][column]);
      map.texts.back().push_back(counts[row][column] == 0 ? "" : fixed(counts[row][column], 0));
    }
  }
  section.figures.push_back({"Message matrix", "Ordered so that those who talk most stand together.", map, true});
  return section;
}

Section queue_section(const Findings& found) {
  const TraceInfo& info = found.input.info;
  Table table;
  table.columns = {{"process", false}, {"messages", true}, {"queue, mean", true}, {"max", true},
                   {"wait, mean", true}, {"median", true}, {"95 %", true}, {"max", true}};
  for (const auto& q : found.queues.processes) {
    if (!q.measured) {
      table.rows.push_back({Cell{info[q.process].name}, Cell{std::to_string(q.received)}, Cell{"not metered", view::CellTone::muted},
                            Cell{}, Cell{}, Cell{}, Cell{}, Cell{}});
      continue;
    }
    const auto wait = [](double ns) { return Cell{seconds_text(ns * 1e-9)}; };
    table.rows.push_back({Cell{info[q.process].name}, Cell{std::to_string(q.queued)}, Cell{fixed(q.length_mean, 2)},
                          Cell{std::to_string(q.length_max)}, wait(q.waits.mean_ns()), wait(q.waits.quantile_ns(.5)),
                          wait(q.waits.quantile_ns(.95)), wait(static_cast<double>(q.waits.max_ns()))});
  }
  return {"Where requests queue", "", {{"Queue lengths and waiting times", "Over time, by the clock of each process's machine.", table, true}}};
}

Section causality_section(const Findings& found) {
  const Causality& causality = *found.causality;
  Section section{"Which paths requests take", "A state is the process that works on a request; an arrow is the message that passes it on.", {}};
  section.figures.push_back({"State diagram", "Numbers are the share of requests that leave a process this way.",
                             state_diagram(causality, found.input.info), true});
  Table table;
  table.columns = {{"path", false}, {"requests", true}, {"share", true}};
  auto strings = causality.strings;
  std::stable_sort(strings.begin(), strings.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  for (std::size_t i = 0; i < strings.size() && i < kMostBars; ++i)
    table.rows.push_back({Cell{strings[i].path}, Cell{std::to_string(strings[i].count)},
                          Cell{percent(static_cast<double>(strings[i].count) /
                                           static_cast<double>(std::max<std::uint64_t>(causality.requests, 1)), 1)}});
  section.figures.push_back({"Most travelled paths", "Each letter is a process.", table, false});
  return section;
}

// A window from the middle of the run, narrow enough for its messages to be told apart.
Section space_time_section(const Findings& found) {
  const auto& times = found.schedule.finished_ns;
  std::vector<std::uint64_t> completion(times.size());
  double last = 0;
  for (std::size_t i = 0; i < times.size(); ++i) {
    completion[i] = times[i] < 0 ? TimelineSchedule::kNotPerformed : static_cast<std::uint64_t>(times[i]);
    last = std::max(last, times[i]);
  }
  const double events = static_cast<double>(std::max<std::size_t>(times.size(), 1));
  const double width = last * std::min(kWindowShare, 2.0 * static_cast<double>(kWindowMessages) / events);
  TimelineWindow window;
  window.from_ns = static_cast<std::uint64_t>(last * .5);
  window.to_ns = static_cast<std::uint64_t>(last * .5 + std::max(width, 1.0));
  view::SpaceTime diagram;
  diagram.title = "Space-time diagram";
  diagram.description = "who is busy, who is blocked and which messages are under way, in a window from the middle of the run";
  const Schedule& schedule = found.schedule;
  diagram.timeline = make_timeline(
      found.history, {completion, schedule.performed_by, schedule.previous, schedule.cause, schedule.waited}, window);
  for (const auto& row : diagram.timeline.rows) {
    diagram.process_names.push_back(found.history.info[row.process].name);
    diagram.machine_names.push_back(found.history.info[row.machine].name);
  }
  return {"A moment of the run", "", {{"Space-time diagram", "Time runs to the right; as replayed with delays and CPU sharing.", diagram, true}}};
}

}  // namespace

view::ReportInput trace_report(const Findings& found) {
  const TraceInfo& info = found.input.info;
  view::ReportInput report;
  report.title = info.scenario.empty() ? "A distributed computation" : info.scenario;
  report.subtitle = "How a distributed computation spends its time";
  report.facts = {{"placement", info.placement}, {"seed", std::to_string(info.seed)}, {"source", info.source},
                  {"machines", std::to_string(info.machines.size())}, {"processes", std::to_string(found.statistics.processes.size())},
                  {"delay model", info.delays.name}};
  report.headlines = {{"P", fixed(found.parallelism.delay_cpu.P, 2), "parallelism factor, with message delays and CPU sharing"},
                      {"T", seconds_text(found.parallelism.delay_cpu.T_s), "CPU time of the computation"},
                      {"messages", std::to_string(found.statistics.sizes.messages), "sent by metered processes"}};
  report.ledger = found.input.ledger;
  report.warnings = found.history.warnings;
  for (const auto& warning : found.queues.warnings) report.warnings.push_back(warning);
  report.sections = {parallelism_section(found), traffic_section(found), queue_section(found)};
  if (found.causality) report.sections.push_back(causality_section(found));
  report.sections.push_back(space_time_section(found));
  report.made_by = "Made by dpm " DPM_VERSION " from " + found.input.directory;
  return report;
}

}  // namespace dpm::cli

#include "answers/report/trace_report.hpp"

#include <algorithm>

#include "analysis/blame/blame_tree.hpp"
#include "analysis/messages/message_survey.hpp"
#include "analysis/statistics/threads.hpp"
#include "analysis/timeline/timeline.hpp"
#include "answers/results/blame_groups.hpp"
#include "answers/results/process_groups.hpp"
#include "text/number_text.hpp"
#include "view/blame_words.hpp"
#include "view/figures.hpp"
#include "view/figures_blame.hpp"

namespace dpm::cli {
namespace {

constexpr double kWindowShare = .05;    // the largest part of the run in the space-time diagram
constexpr double kWindowEvents = 120;   // about the number that can be distinguished
constexpr std::size_t kMostShares = 6;  // the bottlenecks: this many processes, and this many pairs with messages

view::Section parallelism_section(const ParallelismFindings& found, const TraceInfo& grouped) {
  const Parallelism& p = found.parallelism;
  const auto step = [](const std::string& label, const ParallelismStep& of) {
    return view::ParallelismStep{label, of.P,
                                 "T " + seconds_text(of.T_s) + ", longest path " + seconds_text(of.t_max_s)};
  };
  std::vector<view::ParallelismStep> steps = {step("no delays", p.no_delay), step("with delays", p.delay),
                                              step("with delays and CPU sharing", p.delay_cpu)};
  if (p.other_load && p.other_load->t_max_s > p.delay_cpu.t_max_s)
    steps.push_back(step("and the other load of the machines", *p.other_load));
  std::vector<view::PathShare> shares;
  const CriticalPath path = group_path(found.path, grouped);
  for (std::size_t i = 0; i < path.processes.size() && i < kMostShares; ++i)
    shares.push_back({grouped[path.processes[i].process].name, path.processes[i].fraction});
  for (std::size_t i = 0; i < path.messages.size() && i < kMostShares; ++i) {
    const MessageShare& share = path.messages[i];
    shares.push_back({"messages " + grouped[share.sender].name + " → " + grouped[share.receiver].name, share.fraction});
  }
  return {"How parallel it is",
          "P is the CPU time of all processes divided by the longest path through their history.",
          {view::parallelism_figure(steps), view::critical_path_figure(shares)}};
}

view::Section traffic_section(const Findings& found, const TraceInfo& grouped) {
  const Statistics statistics = sum_threads(found.statistics, grouped);
  view::Section section{"Who talks to whom", "", {}};
  section.figures = {view::hot_spots_figure(statistics, grouped), view::message_matrix_figure(statistics, grouped),
                     view::process_share_figure(statistics, grouped), view::message_size_figure(statistics),
                     view::communication_figure(statistics, grouped)};
  for (auto& figure : view::density_figures(statistics, grouped)) section.figures.push_back(std::move(figure));
  return section;
}

view::Section queue_section(const Findings& found, const TraceInfo& grouped) {
  const TraceInfo& info = found.input.info;
  const Queues queues = group_queues(found.queues, grouped);
  view::Section section{"Where requests queue", "", {view::queue_figure(queues, grouped)}};
  if (auto parts = view::wait_parts_figure(queues, grouped)) section.figures.push_back(*std::move(parts));
  for (auto& figure : view::queue_series_figures(found.queues, info)) section.figures.push_back(std::move(figure));
  return section;
}

view::Section causality_section(const Findings& found, const TraceInfo& info) {
  const Causality causality = group_causality(*found.causality, info);
  return {"Which paths requests take",
          "",
          {view::state_diagram_figure(causality, info), view::common_paths_figure(causality, info),
           view::branching_figure(causality, info)}};
}

view::Section blame_section(const BlameTree& tree, const TraceInfo& info) {
  const BlameGroups groups = group_blame(tree, info);
  std::string text = "The whole time of " + tree.what +
                     ", the process that was seen longest, divided through all processes that it waited for. 'dpm "
                     "blame --of NAME' shows another.";
  if (tree.samples > 0)
    text += " " + view::estimate_text(tree);
  else if (!tree.is_measured)
    text += " This trace does not have run-queue and disk waits.";
  return {"Where the time went", text, view::blame_figures(groups.tree, groups.info)};
}

// A window from the middle of the run, narrow enough to distinguish its messages.
view::Section space_time_section(const ParallelismFindings& found) {
  const Schedule& schedule = found.schedule;
  std::vector<std::uint64_t> completion_ns;
  double last_ns = 1;
  for (const double time_ns : schedule.finished_ns) {
    completion_ns.push_back(time_ns < 0 ? TimelineSchedule::kNotPerformed : static_cast<std::uint64_t>(time_ns));
    last_ns = std::max(last_ns, time_ns);
  }
  const double events = static_cast<double>(std::max<std::size_t>(completion_ns.size(), 1));
  TimelineWindow window;
  window.from_ns = static_cast<std::uint64_t>(last_ns / 2);
  window.to_ns =
      window.from_ns + 1 + static_cast<std::uint64_t>(last_ns * std::min(kWindowShare, kWindowEvents / events));
  const Timeline timeline =
      make_timeline(*found.history,
                    {completion_ns, schedule.performed_by, schedule.previous, schedule.cause, schedule.waited}, window);
  return {"A moment from the middle of the run",
          "As replayed with delays and CPU sharing.",
          {view::space_time_figure(timeline, found.history->info)}};
}

// Commands of live programs can be long. They are cut at a space.
std::string shortened(const std::string& title) {
  constexpr std::size_t kMost = 120;
  if (title.size() <= kMost) return title;
  std::size_t end = title.rfind(' ', kMost);
  if (end == std::string::npos) end = title.find(' ');
  return end == std::string::npos ? title : title.substr(0, end) + " ...";
}

// True if its processes are real ones.
bool was_metered(const TraceInfo& info) {
  return std::any_of(info.processes.begin(), info.processes.end(), [](const ProcessInfo& p) { return p.pid != 0; });
}

// The number of machines, and their names if they are few.
std::string machines(const TraceInfo& info) {
  constexpr std::size_t kNamed = 8;
  std::string text = std::to_string(info.machines.size());
  if (info.machines.size() > kNamed) return text;
  for (std::size_t i = 0; i < info.machines.size(); ++i) text += (i == 0 ? ": " : ", ") + info.machines[i].name;
  return text;
}

}  // namespace

view::ReportInput trace_report(const Findings& found) {
  const TraceInfo& info = found.input.info;
  view::ReportInput report;
  report.title = info.scenario.empty() ? "A distributed computation" : shortened(info.scenario);
  report.subtitle = "Who talks to whom, where requests queue, and how parallel it is";
  report.facts = {{"source", info.source},
                  {"machines", machines(info)},
                  {"processes", std::to_string(found.statistics.processes.size())}};
  // Metered programs have neither a scenario nor a seed, and their delays are real.
  if (!has_live_channels(info) && !was_metered(info))
    report.facts.insert(report.facts.begin(),
                        {{"placement", info.placement.empty() ? "as the scenario has it" : info.placement},
                         {"seed", std::to_string(info.seed)},
                         {"delay model", info.delays.name}});
  if (found.parallel) {
    const Parallelism& parallelism = found.parallel->parallelism;
    report.headlines = {
        {"P as it ran", fixed(parallelism.run.P, 2), "parallelism factor: CPU time divided by the time that passed"},
        {"P replayed on its cores", fixed(parallelism.delay_cpu.P, 2), "with message delays and CPU sharing"},
        {"P at best", fixed(parallelism.no_delay.P, 2), "instant messages, a CPU for each process"},
        {"T", seconds_text(parallelism.delay_cpu.T_s), "CPU time of the computation"}};
  }
  report.headlines.push_back(
      {"messages", std::to_string(found.statistics.sizes.messages), "sent by the metered processes"});
  report.ledger = found.input.ledger;
  report.warnings = found.missing;
  report.warnings.insert(report.warnings.end(), found.warnings.begin(), found.warnings.end());
  const TraceInfo grouped = group_processes(info);
  if (found.parallel) report.sections.push_back(parallelism_section(*found.parallel, grouped));
  report.sections.push_back(traffic_section(found, grouped));
  report.sections.push_back(queue_section(found, grouped));
  if (found.causality) report.sections.push_back(causality_section(found, grouped));
  if (found.blame) report.sections.push_back(blame_section(*found.blame, info));
  if (found.parallel) report.sections.push_back(space_time_section(*found.parallel));
  report.made_by = "Made by dpm " DPM_VERSION;
  return report;
}

}  // namespace dpm::cli

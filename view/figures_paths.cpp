#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "text/characters.hpp"
#include "view/figures.hpp"
#include "view/names.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

constexpr const char* kUsers = "users";

std::string party(const TraceInfo& info, ProcessId id) { return id.is_none() ? kUsers : process_name(info, id); }

std::string letters_legend(const Causality& causality, const TraceInfo& info) {
  std::string legend;
  for (std::size_t p = 0; p < causality.letters.size(); ++p) {
    if (causality.letters[p].empty()) continue;
    const ProcessId id{static_cast<std::uint32_t>(p)};
    legend += (legend.empty() ? "" : ", ") + causality.letters[p] + " " + process_name(info, id);
  }
  return legend;
}

// The processes that most messages for requests come from or go to, and the requestors.
std::set<ProcessId> busiest(const Causality& causality, std::size_t most) {
  std::map<ProcessId, std::uint64_t> messages;
  for (const auto& arc : causality.states) {
    messages[arc.from] += arc.count;
    messages[arc.to] += arc.count;
  }
  std::vector<std::pair<std::uint64_t, ProcessId>> order;
  for (const auto& [process, count] : messages) order.emplace_back(count, process);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::set<ProcessId> shown = {ProcessId{}};
  for (std::size_t i = 0; i < std::min(most, order.size()); ++i) shown.insert(order[i].second);
  return shown;
}

}  // namespace

Figure queue_figure(const Queues& queues, const TraceInfo& info) {
  Table table{{{"Process"},
               {"Received", true},
               {"Longest", true},
               {"Mean length", true},
               {"Mean wait", true},
               {"Median", true},
               {"90 %", true},
               {"99 %", true},
               {"Longest wait", true},
               {"Still queued", true}},
              {}};
  for (const auto& queue : queues.processes) {
    std::vector<Cell> row = {{process_name(info, queue.process), CellTone::strong}, {grouped(queue.received)}};
    if (!queue.measured) {
      row.push_back({"not metered", CellTone::muted});
      while (row.size() < table.columns.size()) row.push_back({"\xE2\x80\x93", CellTone::muted});
    } else {
      const auto wait = [&](double ns) { return Cell{queue.waits.count() == 0 ? "\xE2\x80\x93" : seconds(ns * 1e-9)}; };
      row.push_back({grouped(queue.length_max)});
      row.push_back({fixed(queue.length_mean, 2)});
      row.push_back(wait(queue.waits.mean_ns()));
      for (const double fraction : {0.5, 0.9, 0.99}) row.push_back(wait(queue.waits.quantile_ns(fraction)));
      row.push_back(wait(static_cast<double>(queue.waits.max_ns())));
      row.push_back({grouped(queue.still_queued)});
    }
    table.rows.push_back(std::move(row));
  }
  return {
      "Message queues",
      "Lengths are means over time. A wait is from MESSAGEQUEUED to RECEIVE, by the clock of the receiver's machine.",
      table, true};
}

std::optional<Figure> wait_parts_figure(const Queues& queues, const TraceInfo& info) {
  Table table{{{"Process"},
               {"What waited"},
               {"Waited", true},
               {"For a message", true},
               {"The CPU", true},
               {"A disk", true},
               {"The process's work", true},
               {"Other", true}},
              {}};
  const auto add = [&](ProcessId process, const char* what, const WaitParts& parts) {
    if (parts.total_ns() == 0) return;
    std::vector<Cell> row = {{process_name(info, process), CellTone::strong}, {what}};
    for (const std::uint64_t ns :
         {parts.total_ns(), parts.message_ns, parts.cpu_ns, parts.disk_ns, parts.ran_ns, parts.other_ns})
      row.push_back(ns == 0 ? Cell{"\xE2\x80\x93", CellTone::muted} : Cell{seconds(static_cast<double>(ns) * 1e-9)});
    table.rows.push_back(std::move(row));
  };
  for (const auto& queue : queues.processes)
    if (queue.meanwhile) add(queue.process, "messages to it", *queue.meanwhile);
  for (const auto& [process, own] : queues.own_waits) {
    add(process, "the process, to receive", own.receiving);
    add(process, "the process, at work", own.working);
  }
  if (table.rows.empty()) return std::nullopt;
  return Figure{"What was waited for",
                "The CPU: the process was ready to run, and others had the CPU. Times of all waits together.", table,
                true};
}

std::vector<Figure> queue_series_figures(const Queues& queues, const TraceInfo& info, std::size_t most) {
  std::vector<const QueueStatistics*> longest;
  for (const auto& queue : queues.processes) {
    if (queue.measured && queue.series.size() > 2) longest.push_back(&queue);
  }
  std::stable_sort(longest.begin(), longest.end(), [](auto a, auto b) { return a->length_mean > b->length_mean; });
  std::vector<Figure> figures;
  for (const auto* queue : longest) {
    if (figures.size() == most) break;
    const std::string name = process_name(info, queue->process);
    LineChart chart;
    chart.title = "Queue length of " + name + " over time";
    chart.description = fmt::format("Mean {}, longest {}.", fixed(queue->length_mean, 2), queue->length_max);
    chart.x_label = "seconds, by the clock of its machine";
    chart.y_label = "messages waiting";
    chart.marks = false;
    chart.series = {{"mean", {}, false}, {"longest", {}, true}};
    for (const auto& point : queue->series) {
      const double since_s = (point.from - queue->series.front().from).seconds() + point.width.seconds() / 2;
      chart.series[0].points.emplace_back(since_s, point.length_mean);
      chart.series[1].points.emplace_back(since_s, point.length_max);
    }
    figures.push_back(
        {"Queue of " + name, "In steps of " + seconds(queue->series.front().width.seconds()) + ".", chart});
  }
  return figures;
}

Graph state_diagram(const Causality& causality, const TraceInfo& info, double share_min, std::size_t nodes_max) {
  const std::set<ProcessId> shown = busiest(causality, nodes_max);
  Graph graph;
  graph.title = "State diagram of a request";
  std::map<ProcessId, std::uint32_t> node_of;
  const auto node = [&](ProcessId id) {
    const auto [at, added] = node_of.try_emplace(id, static_cast<std::uint32_t>(graph.nodes.size()));
    if (added) {
      const std::string letter = id.is_none() ? "" : causality.letters.at(id.value);
      graph.nodes.push_back({party(info, id), letter, 0, id.is_none(), party(info, id)});
    }
    return at->second;
  };
  node(ProcessId{});  // requests begin there
  for (const auto& arc : causality.states) {
    if (arc.probability < share_min || !shown.contains(arc.from) || !shown.contains(arc.to)) continue;
    const std::string tip = party(info, arc.from) + kArrow + party(info, arc.to) + ": " + percent(arc.probability) +
                            ", " + grouped(arc.count);
    graph.arcs.push_back({node(arc.from), node(arc.to), static_cast<double>(arc.count), percent(arc.probability), tip});
    graph.description += tip + ". ";
  }
  return graph;
}

Figure state_diagram_figure(const Causality& causality, const TraceInfo& info) {
  constexpr double kShareMin = 0.005;
  const Graph graph = state_diagram(causality, info, kShareMin);
  const std::size_t hidden = causality.states.size() - graph.arcs.size();
  return {"State diagram",
          "Where a request goes next: shares of all messages that a process sends for requests." +
              (hidden == 0 ? "" : " " + std::to_string(hidden) + " rarer edges are not shown."),
          graph, true};
}

Figure branching_figure(const Causality& causality, const TraceInfo& info) {
  constexpr std::size_t kRowsMax = 40;
  Table table{{{"A request at"}, {"that came from"}, {"goes next to"}, {"Count", true}, {"Probability", true}}, {}};
  auto branches = causality.branching;
  if (branches.size() > kRowsMax) {
    std::stable_sort(branches.begin(), branches.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
    branches.resize(kRowsMax);
    std::stable_sort(branches.begin(), branches.end(),
                     [](const auto& a, const auto& b) { return std::pair(a.at, a.from) < std::pair(b.at, b.from); });
  }
  for (std::size_t i = 0; i < branches.size(); ++i) {
    const auto& branch = branches[i];
    const bool same_at = i > 0 && branches[i - 1].at == branch.at;
    const bool same_from = same_at && branches[i - 1].from == branch.from;
    table.rows.push_back({{same_at ? "" : party(info, branch.at), CellTone::strong},
                          {same_from ? "" : party(info, branch.from)},
                          {party(info, branch.to)},
                          {grouped(branch.count)},
                          {percent(branch.probability)}});
  }
  const std::size_t hidden = causality.branching.size() - branches.size();
  return {"Branching", hidden == 0 ? "" : std::to_string(hidden) + " rarer branches are not shown.", table, true};
}

Figure common_paths_figure(const Causality& causality, const TraceInfo& info, std::size_t most) {
  auto strings = causality.strings;
  std::stable_sort(strings.begin(), strings.end(), [](const auto& a, const auto& b) { return a.count > b.count; });
  double total = 0;
  for (const auto& string : strings) total += static_cast<double>(string.count);
  Table table{{{"Path of a request"}, {"Times", true}, {"Share", true}}, {}};
  for (std::size_t i = 0; i < strings.size() && i < most; ++i) {
    table.rows.push_back({{shortened(strings[i].path, 48), CellTone::strong},
                          {grouped(strings[i].count)},
                          {percent(static_cast<double>(strings[i].count) / total)}});
  }
  std::string caption = letters_legend(causality, info) + ".";
  if (strings.size() > most) caption += " " + grouped(strings.size() - most) + " rarer paths are not shown.";
  return {"Most common paths", caption, table};
}

Figure space_time_figure(const Timeline& timeline, const TraceInfo& info) {
  SpaceTime diagram;
  diagram.title = "Space-time diagram";
  diagram.timeline = timeline;
  for (const auto& row : timeline.rows) {
    diagram.process_names.push_back(process_name(info, row.process));
    diagram.machine_names.push_back(machine_name(info, row.machine));
  }
  const double from_s = static_cast<double>(timeline.from_ns) * 1e-9, to_s = static_cast<double>(timeline.to_ns) * 1e-9;
  diagram.description = std::to_string(timeline.rows.size()) + " processes and " +
                        std::to_string(timeline.arcs.size()) + " messages from " + seconds(from_s) + " to " +
                        seconds(to_s) + ".";
  std::string caption = "From " + seconds(from_s) + " to " + seconds(to_s) +
                        ". A message's line ends where it was received, so it includes the time in the queue.";
  if (timeline.rows_left_out + timeline.segments_left_out + timeline.arcs_left_out > 0) {
    caption += " Not shown: " + grouped(timeline.rows_left_out) + " processes, " + grouped(timeline.segments_left_out) +
               " short stretches, " + grouped(timeline.arcs_left_out) + " messages.";
  }
  if (timeline.outside_messages > 0) {
    caption += " " + grouped(timeline.outside_messages) + " messages to or from processes outside are not drawn.";
  }
  return {"Space-time diagram", caption, diagram, true};
}

}  // namespace dpm::view

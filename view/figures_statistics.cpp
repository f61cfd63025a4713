#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "view/figures.hpp"
#include "view/matrix_order.hpp"
#include "view/names.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

constexpr std::size_t kBarsMax = 16, kMatrixMax = 32, kHotSpotsMax = 14;

std::string left_out_note(std::size_t left_out, const std::string& what) {
  return left_out == 0 ? "" : " " + std::to_string(left_out) + " " + what + " are not shown.";
}

// The processes that exchange messages, ordered by number of messages.
std::vector<ProcessId> by_traffic(const Statistics& statistics) {
  std::map<ProcessId, std::uint64_t> traffic;
  for (const auto& pair : statistics.messages) {
    traffic[pair.from] += pair.messages();
    traffic[pair.to] += pair.messages();
  }
  std::vector<ProcessId> processes;
  for (const auto& [process, messages] : traffic) processes.push_back(process);
  std::stable_sort(processes.begin(), processes.end(), [&](auto a, auto b) { return traffic[a] > traffic[b]; });
  return processes;
}

std::vector<ProcessStatistics> of_computation(const Statistics& statistics) {
  std::vector<ProcessStatistics> processes;
  std::copy_if(statistics.processes.begin(), statistics.processes.end(), std::back_inserter(processes),
               [](const auto& process) { return process.in_computation; });
  return processes;
}

}  // namespace

Figure communication_figure(const Statistics& statistics, const TraceInfo& info) {
  Table table{{{"Process"},
               {"CPU", true},
               {"CPU time", true},
               {"Messages", true},
               {"of all", true},
               {"Bytes", true},
               {"of all", true},
               {"Local", true},
               {"Remote", true},
               {"To"}},
              {}};
  const auto processes = of_computation(statistics);
  for (const auto& process : processes) {
    std::vector<const Traffic*> targets;
    for (const auto& pair : statistics.messages) {
      if (pair.from == process.process && !pair.by_receive()) targets.push_back(&pair);
    }
    std::stable_sort(targets.begin(), targets.end(), [](auto a, auto b) { return a->sent > b->sent; });
    std::string to;
    for (std::size_t i = 0; i < targets.size() && i < 3; ++i) {
      const double share = static_cast<double>(targets[i]->sent) / static_cast<double>(process.sent);
      to += (i > 0 ? ", " : "") + process_name(info, targets[i]->to) + " " + percent(share);
    }
    if (targets.size() > 3) to += ", " + std::to_string(targets.size() - 3) + " more";
    table.rows.push_back({{process_name(info, process.process), CellTone::strong},
                          {percent(process.cpu_share)},
                          {seconds(static_cast<double>(process.cpu_ns) * 1e-9)},
                          {grouped(process.sent)},
                          {percent(process.sent_share)},
                          {bytes(static_cast<double>(process.sent_bytes))},
                          {percent(process.bytes_share)},
                          {grouped(process.sent_local)},
                          {grouped(process.sent_remote)},
                          {to, CellTone::muted}});
  }
  return {"CPU time and messages of each process",
          "Percentages are of the whole computation; under To, of the process's own messages. Messages are counted "
          "where they are sent.",
          table, true};
}

Figure process_share_figure(const Statistics& statistics, const TraceInfo& info) {
  BarChart chart;
  chart.title = "Share of CPU time, messages and bytes by process";
  chart.series = {"CPU time", "messages sent", "bytes sent"};
  chart.form = NumberForm::percent;
  auto processes = of_computation(statistics);
  std::stable_sort(processes.begin(), processes.end(),
                   [](const auto& a, const auto& b) { return a.cpu_share > b.cpu_share; });
  const std::size_t shown = std::min(processes.size(), kBarsMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto& process = processes[i];
    const std::string name = process_name(info, process.process);
    chart.rows.push_back({name, {process.cpu_share, process.sent_share, process.bytes_share}, ""});
    chart.description += name + ": CPU " + percent(process.cpu_share) + ", messages " + percent(process.sent_share) +
                         ", bytes " + percent(process.bytes_share) + ". ";
  }
  return {"Shares of CPU time, messages and bytes",
          "Of the computation's total." + left_out_note(processes.size() - shown, "processes with less CPU time"),
          chart};
}

Figure message_matrix_figure(const Statistics& statistics, const TraceInfo& info) {
  auto processes = by_traffic(statistics);
  const std::size_t all = processes.size();
  if (processes.size() > kMatrixMax) processes.resize(kMatrixMax);
  std::map<ProcessId, std::size_t> place;
  for (std::size_t i = 0; i < processes.size(); ++i) place[processes[i]] = i;
  std::vector<std::vector<double>> traffic(processes.size(), std::vector<double>(processes.size(), 0));
  std::vector<std::vector<const Traffic*>> pairs(processes.size(),
                                                 std::vector<const Traffic*>(processes.size(), nullptr));
  for (const auto& pair : statistics.messages) {
    if (!place.contains(pair.from) || !place.contains(pair.to)) continue;
    traffic[place[pair.from]][place[pair.to]] = static_cast<double>(pair.messages());
    pairs[place[pair.from]][place[pair.to]] = &pair;
  }

  HeatMap map;
  map.title = "Messages from each process to each other";
  map.row_title = "from";
  map.column_title = "to";
  map.legend = "messages, none to the most";
  const auto order = order_for_diagonal(traffic);
  const bool with_numbers = order.size() <= 12;
  for (const std::size_t from : order) {
    map.rows.push_back(process_name(info, processes[from]));
    map.values.emplace_back();
    map.tips.emplace_back();
    if (with_numbers) map.texts.emplace_back();
    for (const std::size_t to : order) {
      const Traffic* pair = pairs[from][to];
      map.values.back().push_back(traffic[from][to]);
      const std::string names = process_name(info, processes[from]) + kArrow + process_name(info, processes[to]);
      map.tips.back().push_back(pair == nullptr ? names + ": no message"
                                                : names + ": " + grouped(pair->messages()) + " messages, " +
                                                      bytes(static_cast<double>(pair->bytes())));
      if (with_numbers) map.texts.back().push_back(pair == nullptr ? "" : plain(traffic[from][to]));
      if (pair != nullptr) map.description += map.tips.back().back() + ". ";
    }
  }
  map.columns = map.rows;
  return {"Who talks to whom",
          "Processes that talk much stand together, so heavy traffic lies near the diagonal." +
              left_out_note(all - processes.size(), "processes with less traffic"),
          map, processes.size() > 8};
}

Figure hot_spots_figure(const Statistics& statistics, const TraceInfo& info) {
  auto processes = by_traffic(statistics);
  const std::size_t all = processes.size();
  if (processes.size() > kHotSpotsMax) processes.resize(kHotSpotsMax);
  std::map<ProcessId, double> cpu;
  double cpu_max = 0;
  for (const auto& process : statistics.processes) {
    cpu[process.process] = process.cpu_share;
    cpu_max = std::max(cpu_max, process.cpu_share);
  }

  Graph graph;
  graph.title = "Hot spots";
  graph.layout = GraphLayout::circle;
  graph.colour = GraphColour::heat;
  std::vector<std::vector<double>> traffic(processes.size(), std::vector<double>(processes.size(), 0));
  std::map<ProcessId, std::size_t> place;
  for (std::size_t i = 0; i < processes.size(); ++i) place[processes[i]] = i;
  for (const auto& pair : statistics.messages) {
    if (!place.contains(pair.from) || !place.contains(pair.to)) continue;
    traffic[place[pair.from]][place[pair.to]] = static_cast<double>(pair.messages());
  }
  const auto order = order_for_diagonal(traffic);
  std::vector<std::uint32_t> node_of(processes.size());
  for (const std::size_t i : order) {
    node_of[i] = static_cast<std::uint32_t>(graph.nodes.size());
    const ProcessId id = processes[i];
    const bool outside = id.value < info.processes.size() && !info[id].in_computation;
    const std::string share = outside || !cpu.contains(id) ? "" : percent(cpu[id]) + " CPU";
    graph.nodes.push_back({process_name(info, id), share, cpu_max > 0 ? cpu[id] / cpu_max : 0, outside,
                           process_name(info, id) + (share.empty() ? "" : ", " + share)});
  }
  for (const auto& pair : statistics.messages) {
    if (!place.contains(pair.from) || !place.contains(pair.to)) continue;
    const std::string tip = process_name(info, pair.from) + kArrow + process_name(info, pair.to) + ": " +
                            grouped(pair.messages()) + " messages, " + bytes(static_cast<double>(pair.bytes()));
    graph.arcs.push_back({node_of[place[pair.from]], node_of[place[pair.to]], static_cast<double>(pair.messages()),
                          plain(static_cast<double>(pair.messages())), tip});
    graph.description += tip + ". ";
  }
  return {"Hot spots",
          "Arrows go from violet (least messages) to red (most) and bear their number; boxes fill with CPU time. "
          "Dashed boxes are outside the computation." +
              left_out_note(all - processes.size(), "processes with less traffic"),
          graph, true};
}

Figure message_size_figure(const Statistics& statistics) {
  BarChart chart;
  chart.title = "Message sizes";
  chart.series = {"messages"};
  const auto& sizes = statistics.sizes;
  const auto used = [&](std::size_t power) { return sizes.by_power[power] > 0; };
  std::size_t first = 0, last = sizes.by_power.size() - 1;
  while (first < last && !used(first)) ++first;
  while (last > first && !used(last)) --last;
  for (std::size_t power = first; power <= last && sizes.messages > 0; ++power) {
    const std::uint64_t low = power == 0 ? 0 : std::uint64_t{1} << (power - 1);
    const std::uint64_t high = power == 0 ? 0 : (std::uint64_t{1} << power) - 1;
    const std::string label = low == high ? grouped(low) + " B" : grouped(low) + "\xE2\x80\x93" + grouped(high) + " B";
    chart.rows.push_back({label, {static_cast<double>(sizes.by_power[power])}, ""});
    chart.description += label + ": " + grouped(sizes.by_power[power]) + ". ";
  }
  return {"Message sizes",
          grouped(sizes.messages) + " messages of " + grouped(sizes.bytes_min) + " to " + grouped(sizes.bytes_max) +
              " bytes, " + fixed(sizes.bytes_mean(), 0) + " on average.",
          chart};
}

std::vector<Figure> density_figures(const Statistics& statistics, const TraceInfo& info, std::size_t most) {
  auto machines = statistics.machines;
  std::stable_sort(machines.begin(), machines.end(), [](const auto& a, const auto& b) { return a.sent > b.sent; });
  std::vector<Figure> figures;
  for (const auto& machine : machines) {
    if (figures.size() == most || machine.density.counts().size() < 3) break;
    const auto& density = machine.density;
    LineChart chart;
    const std::string name = machine_name(info, machine.machine);
    chart.title = "Messages per second sent from " + name;
    chart.x_label = "seconds since the first event, by the clock of " + name;
    chart.y_label = "messages per second";
    chart.marks = false;
    chart.series = {{name, {}, false}};
    for (std::size_t i = 0; i < density.counts().size(); ++i) {
      const std::int64_t middle_ns =
          density.begin().ns + static_cast<std::int64_t>(i) * density.width().ns + density.width().ns / 2;
      const double since_s = std::max(0.0, (LocalTime{middle_ns} - machine.first_time).seconds());
      chart.series[0].points.emplace_back(since_s, density.per_second(i));
    }
    chart.description = fixed(machine.messages_per_second(), 1) + " messages per second on average.";
    figures.push_back(
        {"Density on " + name,
         "In steps of " + seconds(density.width().seconds()) + "; the first and the last are only partly observed.",
         chart});
  }
  return figures;
}

}  // namespace dpm::view

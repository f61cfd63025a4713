// Figures of the results of analyses, which `dpm run` and `dpm report` combine into a page. Each is made by a pure
// function. The caption says what a figure omits (processes beyond a limit, rare arcs).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/causality/causality.hpp"
#include "analysis/queues/queues.hpp"
#include "analysis/statistics/statistics.hpp"
#include "analysis/timeline/timeline.hpp"
#include "model/trace_info.hpp"
#include "view/figure.hpp"

namespace dpm::view {

// ---- parallelism and prediction

struct ParallelismStep {
  std::string label;  // "no delays", "with delays", "with delays and CPU sharing"
  double p = 0;
  std::string tip;  // T and t_max
};
// `machines`: the limit of P on them; 0 for no limit.
Figure parallelism_figure(const std::vector<ParallelismStep>& steps, std::uint32_t machines = 0);

struct Comparison {
  std::string what;
  std::string published, obtained;
  std::string difference;  // "+2.1 %", or empty
  bool pass = false;
  std::string source;  // "figure 5.12"
};
Figure comparison_figure(const std::vector<Comparison>& comparisons);

struct SweepPoint {
  double x = 0;  // number of users, servers, ...
  double p = kNoValue;
  double queue_length = kNoValue;
};
// Two figures side by side (figure 5.15): P, and the length of `queue_of`'s queue.
std::vector<Figure> sweep_figures(const std::vector<SweepPoint>& points, const std::string& x_label,
                                  const std::string& queue_of);

// Rows traced, columns predicted (figure 5.17); percent, NaN where there is nothing to compare.
Figure prediction_figure(const std::vector<std::string>& placements,
                         const std::vector<std::vector<double>>& error_percent, double goal_percent);

struct PathShare {
  std::string label;  // a process, or "messages a -> b"
  double share = 0;   // of t_max
};
Figure critical_path_figure(const std::vector<PathShare>& shares);

// ---- statistics

Figure communication_figure(const Statistics& statistics, const TraceInfo& info);  // figure 5.12, a table
Figure process_share_figure(const Statistics& statistics, const TraceInfo& info);  // figure 5.13
Figure message_matrix_figure(const Statistics& statistics, const TraceInfo& info);
Figure hot_spots_figure(const Statistics& statistics, const TraceInfo& info);
Figure message_size_figure(const Statistics& statistics);
// One figure per machine, because their clocks cannot share an axis. At most `most`, the busiest first.
std::vector<Figure> density_figures(const Statistics& statistics, const TraceInfo& info, std::size_t most = 2);

// ---- queues

Figure queue_figure(const Queues& queues, const TraceInfo& info);  // a table
// What messages and processes waited for, a table; none where the trace does not say it.
std::optional<Figure> wait_parts_figure(const Queues& queues, const TraceInfo& info);
// The longest queues over time, one figure each.
std::vector<Figure> queue_series_figures(const Queues& queues, const TraceInfo& info, std::size_t most = 2);

// ---- causality

// The state diagram as a graph, for draw() and to_dot() (figure 5.19). Arcs with less than `share_min` of the messages
// that leave a process are left out; with more than `nodes_max` processes, those with the fewest messages.
inline constexpr std::size_t kStatesMax = 40;
Graph state_diagram(const Causality& causality, const TraceInfo& info, double share_min = 0.005,
                    std::size_t nodes_max = kStatesMax);
Figure state_diagram_figure(const Causality& causality, const TraceInfo& info);
Figure branching_figure(const Causality& causality, const TraceInfo& info);  // figure 5.18 with probabilities, a table
Figure common_paths_figure(const Causality& causality, const TraceInfo& info, std::size_t most = 12);

// ---- timeline

Figure space_time_figure(const Timeline& timeline, const TraceInfo& info);

}  // namespace dpm::view

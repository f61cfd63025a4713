// Random service systems, predicted on placements they were not traced on: errors and intervals by class. Their generator
// was written without knowledge of the predictor, and nothing was fitted on them.
#include <fmt/format.h>

#include <map>

#include "validation/common/claim_program.hpp"
#include "validation/common/prediction_cells.hpp"
#include "validation/system_generator/random_system.hpp"

namespace {

using namespace dpm;
using namespace dpm::validation;

// The predictor was developed with the systems 1 to 160 in view; these are others.
constexpr std::uint64_t kFirstSeed = 1001;
constexpr std::uint64_t kSystems = 240, kQuickSystems = 24;
constexpr std::uint64_t kOtherDraws = 4;

using CellsOfGroup = std::map<std::string, std::vector<Cell>>;

// Queues that refuse what has no room are another matter than limits on admission: limitations.md.
std::string group_of(const RandomSystem& system) {
  const bool refuses = system.variant.find("waiting") != std::string::npos;
  return system.system_class == SystemClass::limits && refuses ? "queues" : std::string(name_of(system.system_class));
}

CellsOfGroup all_cells(const Asked& asked) {
  CellsOfGroup groups;
  const std::uint64_t count = asked.quick ? kQuickSystems : kSystems;
  for (std::uint64_t i = 0; i < count; ++i) {
    if (i % 20 == 0) say(fmt::format("random systems: {} of {}", i, count));
    const RandomSystem system = random_system(kFirstSeed + i);
    for (auto& cell : cells_of({system.file, system.seed, group_of(system), system.name(), kOtherDraws}))
      groups[cell.group].push_back(std::move(cell));
  }
  return groups;
}

ResultTable by_class(const CellsOfGroup& groups, const std::vector<Cell>& all) {
  ResultTable table{
      "P off the traced placement, by class of system",
      {"systems", "cells", "auto", "worst", "arrival", "recorded", "other draws", "in the interval", "width"},
      {}};
  const auto add = [&](const std::string& name, const std::vector<Cell>& cells) {
    table.rows.push_back({name, std::to_string(cells.size()), percent_text(mean_error(cells, Method::automatic)),
                          percent_text(worst(cells, Method::automatic).error(Method::automatic), 1),
                          percent_text(mean_error(cells, Method::arrival)),
                          percent_text(mean_error(cells, Method::recorded)),
                          percent_text(mean_error_of_other_draws(cells)), percent_text(coverage(cells), 1),
                          percent_text(mean_width(cells))});
  };
  for (const auto& [name, cells] : groups) add(name, cells);
  add("all", all);
  return table;
}

ResultPlot predicted_against_simulated(const CellsOfGroup& groups) {
  ResultPlot plot{
      PlotKind::predicted_against_measured, "P of random systems, one cell of each", "simulated P", "predicted P", {}};
  for (const auto& [name, cells] : groups) {
    PlotSeries series{name, {}};
    std::uint64_t shown = 0;
    for (const Cell& cell : cells) {
      if (cell.seed == shown) continue;
      shown = cell.seed;
      series.points.push_back({cell.simulated_P, cell.P.front(), cell.low_P, cell.high_P,
                               fmt::format("{}, {} from {}", cell.system, cell.predicted, cell.traced)});
    }
    plot.series.push_back(std::move(series));
  }
  return plot;
}

ClaimResult measure(const Asked& asked) {
  const CellsOfGroup groups = all_cells(asked);
  std::vector<Cell> all;
  ClaimResult result;
  for (const auto& [name, cells] : groups) {
    all.insert(all.end(), cells.begin(), cells.end());
    result.figures[name + "_mean_error"] = 100 * mean_error(cells, Method::automatic);
    result.figures[name + "_worst_error"] = 100 * worst(cells, Method::automatic).error(Method::automatic);
    result.figures[name + "_coverage"] = 100 * coverage(cells);
    result.figures[name + "_widths_per_error"] = widths_per_error(cells);
  }
  result.figures["mean_error"] = 100 * mean_error(all, Method::automatic);
  result.figures["arrival_mean_error"] = 100 * mean_error(all, Method::arrival);
  result.figures["coverage"] = 100 * coverage(all);
  const Cell& off = worst(all, Method::automatic);
  result.remarks = {fmt::format("the worst cell is {} from {} of {}", off.predicted, off.traced, off.system)};
  result.tables = {by_class(groups, all)};
  result.plots = {predicted_against_simulated(groups)};
  return result;
}

}  // namespace

int main(int argc, char** argv) { return run_claim_program(argc, argv, {{}, measure}); }

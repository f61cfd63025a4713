// What the runner of a claim has measured: the file that it writes (--result). It contains no judgement.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/validate/claim.hpp"

namespace dpm::cli {

struct ResultTable {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<std::string>> rows;  // as long as `columns`
};

struct PlotPoint {
  double x = 0, y = 0;
  std::optional<double> low, high;  // of y
  std::string label;
};

struct PlotSeries {
  std::string name;
  std::vector<PlotPoint> points;
};

enum class PlotKind {
  predicted_against_measured,  // equal axes and a diagonal
  lines,
};

struct ResultPlot {
  PlotKind kind = PlotKind::lines;
  std::string title, x, y;  // x, y: what the axes show
  std::vector<PlotSeries> series;
};

struct ClaimResult {
  Figures figures;  // exactly those of the claim
  std::vector<std::string> remarks;
  std::vector<ResultTable> tables;
  std::vector<ResultPlot> plots;
};

// `path` is shown in errors. Refuses missing figures, and figures that the claim does not have.
Result<ClaimResult> parse_claim_result(std::string_view text, const std::string& path, const Claim& claim);
std::string claim_result_text(const ClaimResult& result);

}  // namespace dpm::cli

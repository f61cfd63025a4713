#include "cli/validate/repetition.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "model/check.hpp"

namespace dpm::cli {
namespace {

std::string number_text(double value) { return fmt::format("{:.5g}", value); }

bool fails(Verdict verdict) { return verdict > Verdict::skipped; }

std::vector<double> values_of(const FigureClaim& figure, const std::vector<ClaimResult>& runs) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(run.figures.at(figure.name));
  return values;
}

// The better half first.
void sort_by_merit(const FigureClaim& figure, std::vector<double>& values) {
  const bool small_is_good = figure.goal ? figure.goal->is_most : figure.lower_is_better;
  std::sort(values.begin(), values.end());
  if (!small_is_good) std::reverse(values.begin(), values.end());
}

ResultTable table_of(const Claim& claim, const std::vector<ClaimResult>& runs, const Figures& together) {
  ResultTable table{"Each measurement of the claim", {"figure"}, {}};
  for (std::size_t run = 1; run <= runs.size(); ++run) table.columns.push_back(std::to_string(run));
  table.columns.emplace_back("judged");
  for (const auto& figure : claim.figures) {
    std::vector<std::string> row = {figure.name};
    for (const double value : values_of(figure, runs)) row.push_back(number_text(value));
    row.push_back(number_text(together.at(figure.name)));
    table.rows.push_back(std::move(row));
  }
  return table;
}

}  // namespace

bool is_worth_repeating(const Judgement& judgement) {
  if (!judgement.claim.is_timed || !fails(judgement.verdict) || judgement.verdict == Verdict::broken) return false;
  return std::all_of(judgement.figures.begin(), judgement.figures.end(),
                     [](const FigureJudgement& figure) { return !fails(figure.verdict) || figure.figure.noise > 0; });
}

ClaimResult combined(const Claim& claim, const std::vector<ClaimResult>& runs) {
  DPM_CHECK(!runs.empty());
  ClaimResult together = runs.front();
  for (const auto& figure : claim.figures) {
    std::vector<double> values = values_of(figure, runs);
    sort_by_merit(figure, values);
    together.figures[figure.name] = figure.noise > 0 ? values[values.size() / 2] : values.back();
  }
  together.tables.push_back(table_of(claim, runs, together.figures));
  return together;
}

}  // namespace dpm::cli

#include "answers/comparison/comparison_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "answers/comparison/comparison_words.hpp"
#include "answers/results/ledger_results.hpp"
#include "model/counted.hpp"
#include "text/number_text.hpp"
#include "text/printable.hpp"
#include "text/text_table.hpp"
#include "text/wrapped.hpp"

namespace dpm::cli {
namespace {

using Json = nlohmann::ordered_json;

// Without a change of the whole, no part can explain it.
std::string explains_text(const MeasureChange& measure, const AmountChange& change) {
  return measure.a == measure.b ? "" : percent(change.explains);
}

std::string heading(const MeasureChange& measure) {
  const std::string noise = measure.within_noise ? ", within the noise" : "";
  return fmt::format("{}: {} -> {}, {}{}", measure_text(measure.measure), amount_text(measure.measure, measure.a),
                     amount_text(measure.measure, measure.b), change_text(measure.measure, measure.a, measure.b),
                     noise);
}

std::string noise_text(const Comparison& comparison, std::size_t changes) {
  return changes == 0 ? ""
                      : fmt::format("{} within the noise of {}", counted(changes, "change"),
                                    counted(comparison.runs_of_a, "run"));
}

template <typename Row>
void for_each_change(const MeasureChange& measure, const Row& row) {
  for (const AmountChange& change : measure.changes)
    row({name_text(change.name), amount_text(measure.measure, change.a), amount_text(measure.measure, change.b),
         change_text(measure.measure, change.a, change.b), explains_text(measure, change)});
}

std::string structure_text(const Comparison& comparison, const RowLimit& limit, std::size_t width) {
  std::string text = "\nstructure\n";
  const std::size_t count = comparison.structure.size();
  for (std::size_t i = 0; i < std::min(count, limit.rows); ++i)
    text += broken_line("  " + printable(structural_text(comparison.structure[i])), width) + "\n";
  text += more_rows_text(count, limit);
  if (count == 0) text += "  the same processes, pairs and paths\n";
  const std::string noise = noise_text(comparison, comparison.structural_noise);
  return noise.empty() ? text : text + "  " + noise + "\n";
}

std::string waits_table(const ComparedRuns& runs, int width, const RowLimit& limit) {
  TextTable table({"mean wait in the queue of", ">a", ">b", ">change"}, limit);
  for (const WaitChange& wait : runs.comparison.mean_waits)
    table.add_row({printable(wait.process), seconds_text(wait.a_s), seconds_text(wait.b_s),
                   change_text(Measure::elapsed, wait.a_s, wait.b_s)});
  return table.empty() ? "" : "\n" + table.to_text(width);
}

}  // namespace

std::string comparison_text(const ComparedRuns& runs, int width, bool all) {
  const RowLimit limit = all ? RowLimit{} : RowLimit{kRowsShown};
  TextTable whole({"", ">a", ">b", ">change"});
  for (const WholeRow& row : whole_rows(runs.a.profile, runs.b.profile))
    whole.add_row({printable(row.what), row.a, row.b, row.change});
  std::string text = fmt::format("a: {}\nb: {}\n\n", printable(runs.a.trace), printable(runs.b.trace));
  text += whole.to_text(width) + structure_text(runs.comparison, limit, static_cast<std::size_t>(width));
  for (const MeasureChange& measure : runs.comparison.measures) {
    text += "\n" + heading(measure) + "\n";
    TextTable table({"what changed", ">a", ">b", ">change", ">explains"}, limit);
    for_each_change(measure, [&](std::vector<std::string> row) {
      row[0] = printable(row[0]);
      table.add_row(std::move(row));
    });
    if (!table.empty()) text += table.to_text(width);
    if (const std::string noise = noise_text(runs.comparison, measure.noise_changes); !noise.empty())
      text += noise + "\n";
  }
  return text + waits_table(runs, width, limit);
}

Json comparison_json(const ComparedRuns& runs) {
  Json structure = Json::array(), measures = Json::array(), waits = Json::array(), whole = Json::array();
  for (const WholeRow& row : whole_rows(runs.a.profile, runs.b.profile))
    whole.push_back({{"what", row.what}, {"a", row.a}, {"b", row.b}, {"change", row.change}});
  for (const StructuralChange& change : runs.comparison.structure) {
    Json entry = {{"change", structural_key(change.kind)}, {"names", change.names}};
    if (change.kind == StructuralKind::moved_process) entry.update({{"from", change.from}, {"to", change.to}});
    if (change.count > 0) entry["count"] = change.count;
    structure.push_back(std::move(entry));
  }
  for (const MeasureChange& measure : runs.comparison.measures) {
    Json changes = Json::array();
    for (const AmountChange& change : measure.changes)
      changes.push_back({{"process", change.name.process},
                         {"other", change.name.other},
                         {"doing", change.name.doing},
                         {"a", change.a},
                         {"b", change.b},
                         {"explains", change.explains}});
    measures.push_back({{"measure", measure_key(measure.measure)},
                        {"a", measure.a},
                        {"b", measure.b},
                        {"within_noise", measure.within_noise},
                        {"changes", std::move(changes)},
                        {"changes_within_noise", measure.noise_changes}});
  }
  for (const WaitChange& wait : runs.comparison.mean_waits)
    waits.push_back({{"process", wait.process}, {"a_s", wait.a_s}, {"b_s", wait.b_s}});
  return {{"a", {{"trace", runs.a.trace}, {"ledger", ledger_json(runs.a.ledger)}}},
          {"b", {{"trace", runs.b.trace}, {"ledger", ledger_json(runs.b.ledger)}}},
          {"runs_of_a", runs.comparison.runs_of_a},
          {"whole", std::move(whole)},
          {"structure", std::move(structure)},
          {"structure_within_noise", runs.comparison.structural_noise},
          {"measures", std::move(measures)},
          {"mean_waits", std::move(waits)}};
}

view::ReportInput comparison_report(const ComparedRuns& runs) {
  view::ReportInput report{.title = "What changed", .subtitle = runs.a.trace + " and " + runs.b.trace};
  report.facts = {{"a", runs.a.trace}, {"b", runs.b.trace}, {"runs of a", std::to_string(runs.comparison.runs_of_a)}};
  for (const auto* run : {&runs.a, &runs.b})
    for (const std::string& missing : run->missing) report.warnings.push_back(run->trace + ": " + missing);
  for (const auto* run : {&runs.a, &runs.b})
    if (run->ledger.lost > 0)
      report.warnings.push_back(fmt::format("{}: {} lost", run->trace, counted(run->ledger.lost, "event")));

  view::Table whole{{{""}, {"a", true}, {"b", true}, {"change", true}}, {}};
  for (const WholeRow& row : whole_rows(runs.a.profile, runs.b.profile))
    whole.rows.push_back({{row.what}, {row.a}, {row.b}, {row.change}});
  view::Table structure{{{"structure"}}, {}};
  for (const StructuralChange& change : runs.comparison.structure)
    structure.rows.push_back({{structural_text(change), view::CellTone::prose}});
  if (structure.rows.empty()) structure.rows.push_back({{"the same processes, pairs and paths"}});
  report.sections.push_back(
      {"Side by side", "", {{"The whole runs", "", whole, true}, {"New and gone", "", structure, true}}});

  for (const MeasureChange& measure : runs.comparison.measures) {
    view::Table table{{{"what changed"}, {"a", true}, {"b", true}, {"change", true}, {"explains", true}}, {}};
    for_each_change(measure, [&](const std::vector<std::string>& row) {
      table.rows.emplace_back();
      for (const std::string& cell : row) table.rows.back().push_back({cell});
    });
    report.sections.push_back({heading(measure),
                               noise_text(runs.comparison, measure.noise_changes),
                               {{"What explains it", "Parts add up to the change of the whole.", table, true}}});
  }
  view::Table waits{{{"mean wait in the queue of"}, {"a", true}, {"b", true}, {"change", true}}, {}};
  for (const WaitChange& wait : runs.comparison.mean_waits)
    waits.rows.push_back({{wait.process},
                          {seconds_text(wait.a_s)},
                          {seconds_text(wait.b_s)},
                          {change_text(Measure::elapsed, wait.a_s, wait.b_s)}});
  if (!waits.rows.empty()) report.sections.push_back({"Where requests queue", "", {{"Waits", "", waits, true}}});
  return report;
}

}  // namespace dpm::cli

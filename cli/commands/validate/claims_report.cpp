#include "cli/commands/validate/claims_report.hpp"

#include <algorithm>

#include "cli/commands/validate/claims_results.hpp"

namespace dpm::cli {
namespace {

using view::Cell;
using view::CellTone;

CellTone tone_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::holds:
      return CellTone::pass;
    case Verdict::not_judged:
    case Verdict::no_reference:
    case Verdict::misses_as_known:
    case Verdict::skipped:
      return CellTone::muted;
    default:
      return CellTone::fail;
  }
}

// A column is numeric if each cell is "-" or begins with a digit or a sign.
bool is_number_column(const ResultTable& table, std::size_t column) {
  return column > 0 && std::all_of(table.rows.begin(), table.rows.end(), [&](const auto& row) {
           const std::string& text = row[column];
           return text.empty() || text == "same" ||
                  std::string("+-0123456789.").find(text.front()) != std::string::npos;
         });
}

view::Section overview(const std::vector<Judgement>& judgements) {
  view::Table table{{{"claim"}, {"verdict"}, {"what it says"}}, {}};
  for (const auto& judgement : judgements)
    table.rows.push_back({{judgement.claim.name, CellTone::strong},
                          {name_of(judgement.verdict), tone_of(judgement.verdict)},
                          {judgement.claim.statement, CellTone::prose}});
  return {"All claims", "A claim holds when every one of its figures does.", {{"", "", std::move(table), true}}};
}

view::Figure figures_of(const Judgement& judgement) {
  view::Table table{
      {{"figure"}, {"goal", true}, {"obtained", true}, {"baseline", true}, {"verdict"}, {"its name in claim.json"}},
      {}};
  for (const auto& figure : judgement.figures)
    table.rows.push_back({{figure.figure.what, CellTone::prose},
                          {goal_text(figure.figure)},
                          {value_text(figure.obtained, figure.figure)},
                          {value_text(figure.baseline, figure.figure), CellTone::muted},
                          {name_of(figure.verdict), tone_of(figure.verdict)},
                          {figure.figure.name, CellTone::muted}});
  std::string caption = judgement.reason;
  if (!judgement.machine.empty()) caption += (caption.empty() ? "" : " ") + ("Measured on " + judgement.machine) + ".";
  for (const auto& remark : judgement.result.remarks) {
    caption += caption.empty() ? "" : " ";
    caption += static_cast<char>(std::toupper(static_cast<unsigned char>(remark.empty() ? ' ' : remark.front())));
    caption += remark.empty() ? "" : remark.substr(1) + ".";
  }
  return {"Figures", caption, std::move(table), true};
}

view::Figure table_figure(const ResultTable& result) {
  view::Table table;
  for (std::size_t c = 0; c < result.columns.size(); ++c)
    table.columns.push_back({result.columns[c], is_number_column(result, c)});
  for (const auto& row : result.rows) {
    std::vector<Cell> cells;
    for (const auto& text : row) cells.push_back({text, text == "same" ? CellTone::muted : CellTone::normal});
    table.rows.push_back(std::move(cells));
  }
  return {result.title, "", std::move(table), result.columns.size() > 4};
}

std::string description_of(const ResultPlot& plot) {
  std::string text = plot.y + " against " + plot.x + ".";
  for (const auto& series : plot.series)
    text += " " + series.name + ": " + std::to_string(series.points.size()) + " points.";
  return text;
}

view::Figure scatter_figure(const ResultPlot& plot) {
  view::ScatterChart chart{plot.title, description_of(plot), plot.x, plot.y, {}};
  for (const auto& series : plot.series) {
    chart.series.push_back({series.name, {}});
    for (const auto& point : series.points)
      chart.series.back().points.push_back(
          {point.x, point.y, point.low.value_or(view::kNoValue), point.high.value_or(view::kNoValue), point.label});
  }
  return {plot.title, "A correct prediction lies on the dashed line. Hover over a point to see which prediction it is.",
          chart};
}

view::Figure lines_figure(const ResultPlot& plot) {
  view::LineChart chart{plot.title, description_of(plot), plot.x, plot.y, {}};
  for (const auto& series : plot.series) {
    chart.series.push_back({series.name, {}});
    for (const auto& point : series.points) chart.series.back().points.emplace_back(point.x, point.y);
    auto& points = chart.series.back().points;
    std::stable_sort(points.begin(), points.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  return {plot.title, "", chart};
}

// One figure at each commit, numbered as the table of commits is.
view::Figure history_figure(const Claim& claim, const FigureClaim& figure, const std::vector<HistoryEntry>& history) {
  view::LineChart chart{figure.name,
                        figure.what + ", at each commit.",
                        "entry",
                        figure.what + (figure.unit.empty() ? "" : ", " + figure.unit),
                        {}};
  chart.x_whole = true;
  chart.series.push_back({"obtained", {}});
  for (std::size_t k = 0; k < history.size(); ++k) {
    const auto found = history[k].figures.find(claim.name);
    if (found == history[k].figures.end()) continue;
    if (const auto value = found->second.find(figure.name); value != found->second.end())
      chart.series.back().points.emplace_back(static_cast<double>(k + 1), value->second);
  }
  return {claim.name + ": " + figure.name, figure.what + ".", chart};
}

view::Section history_section(const std::vector<Judgement>& judgements, const std::vector<HistoryEntry>& history) {
  view::Table table{{{"entry", true}, {"commit"}, {"machine"}, {"verdicts"}}, {}};
  for (std::size_t k = 0; k < history.size(); ++k) {
    std::string verdicts;
    for (const auto& [claim, verdict] : history[k].verdicts)
      verdicts += (verdicts.empty() ? "" : ", ") + claim + ": " + verdict;
    table.rows.push_back({{std::to_string(k + 1)},
                          {history[k].commit, CellTone::strong},
                          {history[k].machine, CellTone::muted},
                          {verdicts, CellTone::prose}});
  }
  view::Section section{
      "Over commits", "The same figures as they were obtained before, of this form of the claims.", {}};
  for (const auto& judgement : judgements)
    for (const auto& figure : judgement.figures)
      section.figures.push_back(history_figure(judgement.claim, figure.figure, history));
  section.figures.push_back({"Commits", "", std::move(table), true});
  return section;
}

view::Section section_of(const Judgement& judgement) {
  view::Section section{judgement.claim.name + ": " + name_of(judgement.verdict), judgement.claim.statement + ".", {}};
  section.figures.push_back(figures_of(judgement));
  for (const auto& plot : judgement.result.plots)
    section.figures.push_back(plot.kind == PlotKind::lines ? lines_figure(plot) : scatter_figure(plot));
  for (const auto& table : judgement.result.tables)
    if (!table.rows.empty()) section.figures.push_back(table_figure(table));
  return section;
}

}  // namespace

view::ReportInput claims_report(const std::vector<Judgement>& judgements, bool is_quick,
                                const std::vector<HistoryEntry>& history) {
  view::ReportInput report;
  report.title = "The claims of DPM, tested again";
  report.subtitle =
      "Each claim is a statement about the accuracy of measurements or predictions, with a goal that was set before "
      "anything was measured. Its baseline is the value obtained when it was last accepted.";
  std::size_t tried = 0, held = 0;
  for (const auto& judgement : judgements) {
    tried += judgement.verdict == Verdict::skipped ? 0 : 1;
    held += judgement.verdict == Verdict::holds ? 1 : 0;
  }
  report.headlines = {
      {"claims that hold", std::to_string(held) + " of " + std::to_string(tried), claims_count(judgements) + "."}};
  report.facts = {{"form", is_quick ? "quick: fewer cases" : "full"}, {"program", "dpm " DPM_VERSION}};
  report.sections.push_back(overview(judgements));
  for (const auto& judgement : judgements) report.sections.push_back(section_of(judgement));
  if (history.size() > 1) report.sections.push_back(history_section(judgements, history));
  report.made_by = "Made by dpm validate.";
  return report;
}

}  // namespace dpm::cli

#include "cli/validate/claim_result.hpp"

#include <nlohmann/json.hpp>

#include "cli/validate/figures_reader.hpp"

namespace dpm::cli {
namespace {

const KeyTable kResultKeys = {"result", "a result", {"figures", "remarks", "tables", "plots"}};
const KeyTable kTableKeys = {"table", "a table", {"title", "columns", "rows"}};
const KeyTable kPlotKeys = {"plot", "a plot", {"title", "kind", "x", "y", "series"}};
const KeyTable kSeriesKeys = {"series", "a series", {"name", "points"}};
const KeyTable kPointKeys = {"point", "a point", {"x", "y", "low", "high", "label"}};

// The items of an optional list.
const std::vector<JsonNode>& items_of(const JsonNode* node, const std::string& what, const Reading& reading) {
  static const std::vector<JsonNode> none;
  return node != nullptr && reading.expect(*node, JsonKind::list, what) ? node->items : none;
}

std::vector<std::string> read_texts(const JsonNode* node, const std::string& what, const Reading& reading) {
  std::vector<std::string> texts;
  for (const auto& item : items_of(node, what, reading))
    if (reading.expect(item, JsonKind::text, "every item of " + what)) texts.push_back(item.text);
  return texts;
}

ResultTable read_table(const JsonNode& node, const Reading& reading) {
  ResultTable table;
  ObjectReader object(node, kTableKeys, reading);
  table.title = object.needed_text("title");
  table.columns = read_texts(object.need("columns"), "'columns'", reading);
  for (const auto& row : items_of(object.need("rows"), "'rows'", reading)) {
    table.rows.push_back(read_texts(&row, "a row", reading));
    if (table.rows.back().size() != table.columns.size())
      reading.problem(row, "a row of " + std::to_string(table.rows.back().size()) + " cells in a table of " +
                               std::to_string(table.columns.size()) + " columns");
  }
  return table;
}

PlotPoint read_point(const JsonNode& node, const Reading& reading) {
  PlotPoint point;
  ObjectReader object(node, kPointKeys, reading);
  if (object.need("x") != nullptr) point.x = object.number("x", 0, kAnyFigure);
  if (object.need("y") != nullptr) point.y = object.number("y", 0, kAnyFigure);
  if (object.find("low") != nullptr) point.low = object.number("low", 0, kAnyFigure);
  if (object.find("high") != nullptr) point.high = object.number("high", 0, kAnyFigure);
  point.label = object.text("label", "");
  return point;
}

ResultPlot read_plot(const JsonNode& node, const Reading& reading) {
  ResultPlot plot;
  ObjectReader object(node, kPlotKeys, reading);
  plot.title = object.needed_text("title");
  object.need("kind");
  const std::string kind = object.word("kind", "lines", {"predicted_against_measured", "lines"});
  plot.kind = kind == "lines" ? PlotKind::lines : PlotKind::predicted_against_measured;
  plot.x = object.needed_text("x");
  plot.y = object.needed_text("y");
  for (const auto& item : items_of(object.need("series"), "'series'", reading)) {
    ObjectReader series(item, kSeriesKeys, reading);
    plot.series.push_back({series.needed_text("name"), {}});
    for (const auto& point : items_of(series.need("points"), "'points'", reading))
      plot.series.back().points.push_back(read_point(point, reading));
  }
  return plot;
}

using Json = nlohmann::ordered_json;

const char* name_of(PlotKind kind) { return kind == PlotKind::lines ? "lines" : "predicted_against_measured"; }

Json point_json(const PlotPoint& point) {
  Json json = {{"x", point.x}, {"y", point.y}};
  if (point.low) json["low"] = *point.low;
  if (point.high) json["high"] = *point.high;
  if (!point.label.empty()) json["label"] = point.label;
  return json;
}

Json plot_json(const ResultPlot& plot) {
  Json series = Json::array();
  for (const auto& one : plot.series) {
    Json points = Json::array();
    for (const auto& point : one.points) points.push_back(point_json(point));
    series.push_back({{"name", one.name}, {"points", std::move(points)}});
  }
  return {
      {"title", plot.title}, {"kind", name_of(plot.kind)}, {"x", plot.x}, {"y", plot.y}, {"series", std::move(series)}};
}

}  // namespace

Result<ClaimResult> parse_claim_result(std::string_view text, const std::string& path, const Claim& claim) {
  const auto root = parse_json(text, path);
  if (!root) return root.error();
  Problems problems(path);
  const Environment no_names;
  const Reading reading{problems, no_names};
  ClaimResult result;
  {
    ObjectReader object(*root, kResultKeys, reading);
    if (const JsonNode* figures = object.need("figures")) {
      result.figures = read_figures(*figures, "'figures'", claim, reading);
      for (const auto& name : claim.figure_names())
        if (!result.figures.contains(name)) reading.problem(*figures, "the figure '" + name + "' is missing");
    }
    result.remarks = read_texts(object.find("remarks"), "'remarks'", reading);
    for (const auto& table : items_of(object.find("tables"), "'tables'", reading))
      result.tables.push_back(read_table(table, reading));
    for (const auto& plot : items_of(object.find("plots"), "'plots'", reading))
      result.plots.push_back(read_plot(plot, reading));
  }
  if (!problems.empty()) return problems.error();
  return result;
}

std::string claim_result_text(const ClaimResult& result) {
  Json tables = Json::array(), plots = Json::array();
  for (const auto& table : result.tables)
    tables.push_back({{"title", table.title}, {"columns", table.columns}, {"rows", table.rows}});
  for (const auto& plot : result.plots) plots.push_back(plot_json(plot));
  const Json document = {{"figures", result.figures},
                         {"remarks", result.remarks},
                         {"tables", std::move(tables)},
                         {"plots", std::move(plots)}};
  return document.dump(2) + "\n";
}

}  // namespace dpm::cli

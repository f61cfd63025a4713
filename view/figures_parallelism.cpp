#include <fmt/format.h>

#include <cmath>

#include "text/characters.hpp"
#include "view/figures.hpp"
#include "view/text.hpp"

namespace dpm::view {

Figure parallelism_figure(const std::vector<ParallelismStep>& steps, std::uint32_t machines) {
  BarChart chart;
  chart.title = "P by step";
  chart.series = {"P"};
  for (const auto& step : steps) {
    chart.rows.push_back({step.label, {step.p}, step.tip});
    chart.description += step.label + ": " + fixed(step.p, 2) + ". ";
  }
  if (machines > 0)
    chart.reference = ReferenceLine{static_cast<double>(machines), std::to_string(machines) + " machines"};
  return {"P by step",
          "P = T / t_max: total CPU time over the longest path, first with messages that take no time, then with their "
          "delays, then with processes sharing the CPUs of their machines.",
          chart};
}

Figure comparison_figure(const std::vector<Comparison>& comparisons) {
  Table table{{{"Result"}, {"Published", true}, {"Obtained", true}, {"Difference", true}, {"Source"}, {"Verdict"}}, {}};
  std::size_t passed = 0;
  for (const auto& line : comparisons) {
    passed += line.pass ? 1 : 0;
    table.rows.push_back({{line.what, CellTone::strong},
                          {line.published},
                          {line.obtained},
                          {line.difference},
                          {line.source, CellTone::muted},
                          {line.pass ? "within goal" : "outside goal", line.pass ? CellTone::pass : CellTone::fail}});
  }
  return {"Published beside obtained",
          fmt::format("{} of {} results are within their goals.", passed, comparisons.size()), table, true};
}

std::vector<Figure> sweep_figures(const std::vector<SweepPoint>& points, const std::string& x_label,
                                  const std::string& queue_of) {
  LineChart p{"P against " + x_label, "", x_label, "P", {{"P", {}, false}}, true, true, true, {}};
  LineChart queue{"Queue length against " + x_label,
                  "",
                  x_label,
                  "mean queue length",
                  {{queue_of, {}, false}},
                  true,
                  true,
                  true,
                  {}};
  for (const auto& point : points) {
    p.series[0].points.emplace_back(point.x, point.p);
    queue.series[0].points.emplace_back(point.x, point.queue_length);
    p.description += plain(point.x) + ": " + fixed(point.p, 2) + ". ";
    queue.description += plain(point.x) + ": " + fixed(point.queue_length, 2) + ". ";
  }
  return {{p.title, "Where the line flattens, more " + x_label + " no longer find a free process to work for them.", p},
          {"Queue of " + queue_of,
           "Mean number of messages waiting. Where it begins to grow, requests only wait longer.", queue}};
}

Figure prediction_figure(const std::vector<std::string>& placements,
                         const std::vector<std::vector<double>>& error_percent, double goal_percent) {
  HeatMap map;
  map.title = "Prediction error";
  map.row_title = "traced";
  map.column_title = "predicted";
  map.rows = map.columns = placements;
  map.scale = HeatScale::signed_;
  double largest = 0;
  for (std::size_t r = 0; r < error_percent.size(); ++r) {
    map.values.emplace_back();
    map.texts.emplace_back();
    map.tips.emplace_back();
    for (std::size_t c = 0; c < error_percent[r].size(); ++c) {
      const double error = error_percent[r][c];
      map.values.back().push_back(std::round(error * 10) / 10);  // as the text: one number has one colour
      if (std::isfinite(error)) largest = std::max(largest, std::fabs(error));
      map.texts.back().push_back(signed_percent(error));
      map.tips.back().push_back("traced on " + placements[r] + ", predicted for " + placements[c] + ": " +
                                signed_percent(error));
      map.description += map.tips.back().back() + ". ";
    }
  }
  map.full_at = std::max(largest, goal_percent);
  map.legend = "\xE2\x88\x92" + plain(map.full_at) + " % to +" + plain(map.full_at) + " %";
  return {
      "Prediction matrix",
      fmt::format("Predicted P against P of a real run of that placement. The goal is {} %; the largest error here is "
                  "{} %.",
                  plain(goal_percent), fixed(largest, 1)),
      map};
}

Figure critical_path_figure(const std::vector<PathShare>& shares) {
  BarChart chart;
  chart.title = "Critical path";
  chart.series = {"share"};
  chart.form = NumberForm::percent;
  constexpr std::size_t kHalfPage = 30;  // longer names, as of two processes, need the whole width of the page
  bool wide = false;
  for (const auto& part : shares) {
    wide = wide || character_count(part.label) > kHalfPage;
    chart.rows.push_back({part.label, {part.share}, ""});
    chart.description += part.label + ": " + percent(part.share) + ". ";
  }
  return {"Critical path",
          "The parts of the longest path through the history. Making anything else faster does not make the "
          "computation faster.",
          chart, wide};
}

}  // namespace dpm::view

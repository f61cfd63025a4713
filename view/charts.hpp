// The plain charts of a report: a struct for the content of each. The page draws them (view/page). NaN values are gaps,
// never zeros.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dpm::view {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

enum class NumberForm { plain, percent, bytes, seconds };  // percent: of a fraction

struct ReferenceLine {
  double value = 0;
  std::string label;
};

struct LineSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by increasing x
  bool dashed = false;                            // for example, published values beside obtained ones
};

struct LineChart {
  std::string title, description;
  std::string x_label, y_label;
  std::vector<LineSeries> series;
  bool x_whole = false;  // x values are counts: ticks only at whole numbers
  bool y_from_zero = true;
  bool marks = true;  // a dot at every point
  std::optional<ReferenceLine> reference;
};

struct ScatterPoint {
  double x = 0, y = 0;
  double low = kNoValue, high = kNoValue;  // of y
  std::string label;
};

struct ScatterSeries {
  std::string name;
  std::vector<ScatterPoint> points;
};

// Predicted against measured values: equal axes, and a diagonal on which both are equal.
struct ScatterChart {
  std::string title, description;
  std::string x_label, y_label;
  std::vector<ScatterSeries> series;  // the first is drawn on top
};

struct BarRow {
  std::string label;
  std::vector<double> values;  // one for each series
  std::string tip;
};

// Bars are horizontal, so that there is room for names.
struct BarChart {
  std::string title, description;
  std::vector<std::string> series;  // one name: no legend
  std::vector<BarRow> rows;
  NumberForm form = NumberForm::plain;
  std::optional<ReferenceLine> reference;
};

enum class HeatScale {
  amount,   // 0 pale, the largest full
  signed_,  // negative one colour, positive another, 0 none
};

struct HeatMap {
  std::string title, description;
  std::string row_title, column_title;
  std::vector<std::string> rows, columns;
  std::vector<std::vector<double>> values;      // [row][column]
  std::vector<std::vector<std::string>> texts;  // shown in the cells; may be empty
  std::vector<std::vector<std::string>> tips;   // empty: none
  HeatScale scale = HeatScale::amount;
  double full_at = 0;  // the value with the full colour; 0: the largest value
  std::string legend;  // explains the colour
};

}  // namespace dpm::view

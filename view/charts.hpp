// The plain charts of a report: what they show as structs, and a pure function each that draws it. Values that are no
// number (NaN) are gaps, never zeros.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace dpm::view {

inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

// Pixels at which text has its own size: a half and a whole column of the report.
inline constexpr double kHalfWidth = 520, kFullWidth = 1084;

enum class NumberForm { plain, percent, bytes, seconds };  // percent: of a fraction

struct ReferenceLine {
  double value = 0;
  std::string label;
};

struct LineSeries {
  std::string name;
  std::vector<std::pair<double, double>> points;  // by increasing x
  bool dashed = false;                            // published beside obtained, for instance
};

struct LineChart {
  std::string title, description;
  std::string x_label, y_label;
  std::vector<LineSeries> series;
  bool x_whole = false;  // x are counts: a tick at whole numbers only
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

// What was predicted against what was measured: equal axes, and a diagonal on which both are the same.
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

// Horizontal bars, so that names have room.
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
  std::vector<std::vector<std::string>> texts;  // what stands in the cells; empty: nothing
  std::vector<std::vector<std::string>> tips;   // empty: none
  HeatScale scale = HeatScale::amount;
  double full_at = 0;  // the value of full colour; 0: the largest there is
  std::string legend;  // what the colour means
};

std::string draw(const LineChart& chart, double width);
std::string draw(const ScatterChart& chart, double width);
std::string draw(const BarChart& chart, double width);
std::string draw(const HeatMap& map, double width);

std::string in_form(double value, NumberForm form);

// How much of a row's label a bar chart of this width shows.
std::size_t label_characters(double width);

}  // namespace dpm::view

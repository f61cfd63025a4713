#include <algorithm>
#include <cmath>

#include "view/axis.hpp"
#include "view/charts.hpp"
#include "view/svg.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

constexpr double kWideLetters = 1.2;  // "memcached" is this much wider than an average word; labels end at the bars
constexpr double kLabelSize = 13;     // of "name" in the page's style

}  // namespace

std::string in_form(double value, NumberForm form) {
  if (!std::isfinite(value)) return fixed(value, 0);
  switch (form) {
    case NumberForm::percent:
      return percent(value);
    case NumberForm::bytes:
      return bytes(value);
    case NumberForm::seconds:
      return seconds(value);
    case NumberForm::plain:
      break;
  }
  return plain(value);
}

std::size_t label_characters(double width) {
  constexpr double kMostShare = .45;  // the rest is for the bars
  return static_cast<std::size_t>(kMostShare * width / text_width("n", kLabelSize));
}

std::string draw(const BarChart& chart, double width) {
  constexpr double kBarGap = 2, kRowGap = 12, kRight = 64;
  const std::size_t most_characters = label_characters(width);
  const double bar = chart.series.size() > 1 ? 13 : 20;
  const double legend_height = chart.series.size() > 1 ? 28 : 4;
  const double reference_height = chart.reference ? 18 : 0;
  const double top = legend_height + reference_height;
  const double row_height =
      static_cast<double>(std::max<std::size_t>(1, chart.series.size())) * (bar + kBarGap) + kRowGap;
  const double height = top + static_cast<double>(chart.rows.size()) * row_height + 6;

  double left = 0, largest = chart.reference ? chart.reference->value : 0;
  for (const auto& row : chart.rows) {
    left = std::max(left, kWideLetters * text_width(shortened(row.label, most_characters), kLabelSize) + 12);
    for (const double value : row.values) {
      if (std::isfinite(value)) largest = std::max(largest, value);
    }
  }
  const double scale = largest > 0 ? (width - left - kRight) / largest : 0;

  Svg svg(width, height, chart.title, chart.description);
  double x = left;
  for (std::size_t i = 0; chart.series.size() > 1 && i < chart.series.size(); ++i) {
    svg.rect({x, 6}, 11, 11, "fill s" + std::to_string(i % 6), "", 2);
    svg.text({x + 17, 16}, chart.series[i], "legend");
    x += 17 + text_width(chart.series[i], 12) + 22;
  }
  for (std::size_t r = 0; r < chart.rows.size(); ++r) {
    const auto& row = chart.rows[r];
    const double y = top + static_cast<double>(r) * row_height + kRowGap / 2;
    const double middle = y + (row_height - kRowGap - kBarGap) / 2;
    svg.text({left - 12, middle + 4.5}, shortened(row.label, most_characters), "name", "end", 0, row.label);
    for (std::size_t i = 0; i < row.values.size(); ++i) {
      const double value = row.values[i];
      const double bar_y = y + static_cast<double>(i) * (bar + kBarGap);
      const double length = std::isfinite(value) ? std::max(0.0, value * scale) : 0;
      const std::string tip = row.label + (chart.series.size() > i ? ", " + chart.series[i] : "") + ": " +
                              in_form(value, chart.form) + (row.tip.empty() ? "" : " (" + row.tip + ")");
      if (length > 0) svg.rect({left, bar_y}, std::max(1.0, length), bar, "fill s" + std::to_string(i % 6), tip, 2);
      svg.text({left + length + 7, bar_y + bar / 2 + 4}, in_form(value, chart.form), "value");
    }
  }
  svg.line({left, top}, {left, height - 6}, "axis");
  if (chart.reference && scale > 0) {
    const double at = left + chart.reference->value * scale;
    svg.line({at, top - 2}, {at, height - 6}, "reference");
    const bool room = at + text_width(chart.reference->label, 12) / 2 < width;
    svg.text({room ? at : width - 2, top - 7}, chart.reference->label, "tick", room ? "middle" : "end");
  }
  return std::move(svg).finish();
}

}  // namespace dpm::view

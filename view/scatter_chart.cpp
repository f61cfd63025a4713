#include <algorithm>
#include <cmath>

#include "view/axis.hpp"
#include "view/charts.hpp"
#include "view/series.hpp"
#include "view/svg.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

// A square: a value has the same place on both axes, and correct predictions lie on the diagonal.
class ScatterDrawing {
 public:
  ScatterDrawing(const ScatterChart& chart, double width)
      : chart_(chart),
        side_(std::min(width - kLeft - kRight, kLargest)),
        left_(kLeft + (width - kLeft - kRight - side_) / 2),
        svg_(width, kTop + side_ + kBottom, chart.title, chart.description) {
    Range shown;
    for (const auto& series : chart.series) {
      for (const auto& point : series.points) {
        for (const double value : {point.x, point.y, point.low, point.high}) shown.include(value);
      }
    }
    axis_ = round_axis(shown.low, shown.high, 6);
  }

  std::string draw() && {
    legend();
    axes();
    // The first series is the main one, and is drawn on top.
    for (std::size_t i = chart_.series.size(); i-- > 0;) series(i);
    return std::move(svg_).finish();
  }

 private:
  static constexpr double kTop = 46, kBottom = 46, kLeft = 58, kRight = 18, kLargest = 460;

  Point at(double x, double y) const { return {left_ + axis_.at(x) * side_, kTop + side_ - axis_.at(y) * side_}; }

  void legend() {
    svg_.text({4, 13}, chart_.y_label, "label");
    if (chart_.series.size() < 2) return;
    double x = left_;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const std::string name = shortened(chart_.series[i].name, 28);
      svg_.circle({x + 5, 30}, 4, "mark " + series_class(i));
      svg_.text({x + 14, 34}, name, "legend");
      x += 14 + text_width(name, 12) + 22;
    }
  }

  void axes() {
    for (const double tick : axis_.ticks) {
      const Point left = at(axis_.from, tick), below = at(tick, axis_.from);
      svg_.line(left, at(axis_.to, tick), tick == axis_.from ? "axis" : "rule");
      svg_.text({left.x - 8, left.y + 4}, axis_.label(tick), "tick", "end");
      svg_.line(below, {below.x, below.y + 4}, "axis");
      svg_.text({below.x, below.y + 18}, axis_.label(tick), "tick", "middle");
    }
    svg_.text({left_ + side_ / 2, kTop + side_ + kBottom - 8}, chart_.x_label, "label", "middle");
    svg_.line(at(axis_.from, axis_.from), at(axis_.to, axis_.to), "reference", "predicted as measured");
  }

  void series(std::size_t number) {
    const auto& series = chart_.series[number];
    const std::string style = series_class(number);
    for (const auto& point : series.points) {
      if (!std::isfinite(point.x) || !std::isfinite(point.y)) continue;
      if (std::isfinite(point.low) && std::isfinite(point.high))
        svg_.line(at(point.x, point.low), at(point.x, point.high), "line " + style);
      svg_.circle(at(point.x, point.y), 3.5, "mark " + style,
                  series.name + ", " + (point.label.empty() ? "" : point.label + ": ") + plain(point.y) + " for " +
                      plain(point.x));
    }
  }

  const ScatterChart& chart_;
  double side_, left_;
  Axis axis_;
  Svg svg_;
};

}  // namespace

std::string draw(const ScatterChart& chart, double width) { return ScatterDrawing(chart, width).draw(); }

}  // namespace dpm::view

#include <algorithm>
#include <cmath>

#include "view/axis.hpp"
#include "view/charts.hpp"
#include "view/series.hpp"
#include "view/svg.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

class LineDrawing {
 public:
  LineDrawing(const LineChart& chart, double width)
      : chart_(chart), width_(width), svg_(width, kHeight, chart.title, chart.description) {
    Range x, y;
    for (const auto& series : chart.series) {
      for (const auto& [px, py] : series.points) {
        if (!std::isfinite(py)) continue;
        x.include(px);
        y.include(py);
      }
    }
    if (chart.y_from_zero) y.include(0);
    if (chart.reference) y.include(chart.reference->value);
    x_ = chart.x_whole ? round_axis(x.low, x.high, static_cast<int>(width / 60), true)
                       : exact_axis(x.low, x.high, static_cast<int>(width / 80));
    y_ = round_axis(y.low, y.high, 5);
    for (const double tick : y_.ticks) left_ = std::max(left_, text_width(y_.label(tick), 12) + 34);
    top_ = chart.series.size() > 1 ? 46 : 26;
  }

  std::string draw() && {
    legend();
    axes();
    reference();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) series(i);
    return std::move(svg_).finish();
  }

 private:
  static constexpr double kHeight = 300, kBottom = 46, kRight = 18;

  Point at(double x, double y) const {
    return {left_ + x_.at(x) * (width_ - left_ - kRight), kHeight - kBottom - y_.at(y) * (kHeight - kBottom - top_)};
  }

  void legend() {
    svg_.text({4, 13}, chart_.y_label, "label");
    if (chart_.series.size() < 2) return;
    double x = left_;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      const std::string name = shortened(chart_.series[i].name, 28);
      svg_.line({x, 30}, {x + 18, 30}, "line " + series_class(i) + (chart_.series[i].dashed ? " dashed" : ""));
      svg_.text({x + 24, 34}, name, "legend");
      x += 24 + text_width(name, 12) + 22;
    }
  }

  void axes() {
    for (const double tick : y_.ticks) {
      const Point end = at(x_.from, tick);
      svg_.line(end, {width_ - kRight, end.y}, tick == y_.from ? "axis" : "rule");
      svg_.text({end.x - 8, end.y + 4}, y_.label(tick), "tick", "end");
    }
    for (const double tick : x_.ticks) {
      const Point end = at(tick, y_.from);
      svg_.line(end, {end.x, end.y + 4}, "axis");
      svg_.text({end.x, end.y + 18}, x_.label(tick), "tick", "middle");
    }
    svg_.text({(left_ + width_ - kRight) / 2, kHeight - 8}, chart_.x_label, "label", "middle");
  }

  void reference() {
    if (!chart_.reference) return;
    const Point end = at(x_.to, chart_.reference->value);
    svg_.line({left_, end.y}, end, "reference");
    svg_.text({end.x, end.y - 5}, chart_.reference->label, "tick", "end");
  }

  void series(std::size_t number) {
    const auto& series = chart_.series[number];
    const std::string style = series_class(number);
    std::vector<Point> stretch;
    const auto flush = [&] {
      if (stretch.size() > 1) svg_.polyline(stretch, "line " + style + (series.dashed ? " dashed" : ""));
      stretch.clear();
    };
    for (const auto& [x, y] : series.points) {
      if (std::isfinite(x) && std::isfinite(y)) {
        stretch.push_back(at(x, y));
      } else {
        flush();
      }
    }
    flush();
    if (!chart_.marks) return;
    for (const auto& [x, y] : series.points) {
      if (!std::isfinite(x) || !std::isfinite(y)) continue;
      svg_.circle(at(x, y), 3.5, "mark " + style, series.name + ": " + plain(y) + " at " + plain(x));
    }
  }

  const LineChart& chart_;
  double width_;
  double left_ = 44, top_ = 26;
  Axis x_, y_;
  Svg svg_;
};

}  // namespace

std::string draw(const LineChart& chart, double width) { return LineDrawing(chart, width).draw(); }

}  // namespace dpm::view

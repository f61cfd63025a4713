#include <algorithm>
#include <cmath>
#include <cstdio>

#include "view/charts.hpp"
#include "view/svg.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

constexpr std::size_t kNameCharacters = 20;
constexpr double kSlant = 0.71;  // the sine and cosine of 45 degrees

double widest(const std::vector<std::string>& names) {
  double width = 0;
  for (const auto& name : names) width = std::max(width, text_width(shortened(name, kNameCharacters), 12));
  return width;
}

std::string opacity(double strength) { return "fill-opacity=\"" + fixed(strength, 3) + "\""; }

class HeatDrawing {
 public:
  HeatDrawing(const HeatMap& map, double width) : map_(map), width_(width) {
    const auto columns = static_cast<double>(std::max<std::size_t>(1, map.columns.size()));
    left_ = widest(map.rows) + 12 + (map.row_title.empty() ? 0 : 22);
    const auto cells_in = [&](double room) {
      cell_width_ = std::clamp(room / columns, 9.0, map.texts.empty() ? 40.0 : 124.0);
    };
    cells_in(width - left_ - 4);
    turned_ = widest(map.columns) > cell_width_ - 6;
    slant_room_ = turned_ ? widest(map.columns) * kSlant + 8 : 4;
    if (turned_) cells_in(width - left_ - slant_room_);
    cell_height_ = std::clamp(cell_width_, 16.0, map.texts.empty() ? 28.0 : 44.0);
    top_ = (map.column_title.empty() ? 0 : 22) + (turned_ ? widest(map.columns) * kSlant + 22 : 24);
    full_ = map.full_at;
    if (full_ <= 0) {
      for (const auto& row : map.values) {
        for (const double value : row) {
          if (std::isfinite(value)) full_ = std::max(full_, std::fabs(value));
        }
      }
    }
  }

  std::string draw() {
    const double bottom = top_ + cell_height_ * static_cast<double>(map_.rows.size());
    // The slanted names of the last columns extend beyond the grid.
    const double needed = left_ + cell_width_ * static_cast<double>(map_.columns.size()) + slant_room_;
    Svg svg(std::max(width_, needed), bottom + 44, map_.title, map_.description);
    names(svg);
    for (std::size_t r = 0; r < map_.rows.size() && r < map_.values.size(); ++r) {
      for (std::size_t c = 0; c < map_.columns.size() && c < map_.values[r].size(); ++c) cell(svg, r, c);
    }
    legend(svg, bottom + 20);
    return std::move(svg).finish();
  }

 private:
  void names(Svg& svg) {
    const double columns_width = cell_width_ * static_cast<double>(map_.columns.size());
    const double rows_height = cell_height_ * static_cast<double>(map_.rows.size());
    if (!map_.column_title.empty()) svg.text({left_ + columns_width / 2, 13}, map_.column_title, "label", "middle");
    if (!map_.row_title.empty()) svg.text({13, top_ + rows_height / 2}, map_.row_title, "label", "middle", -90);
    for (std::size_t c = 0; c < map_.columns.size(); ++c) {
      const double x = left_ + (static_cast<double>(c) + 0.5) * cell_width_;
      const std::string name = shortened(map_.columns[c], kNameCharacters);
      svg.text({turned_ ? x + 3 : x, top_ - 8}, name, "tick", turned_ ? "start" : "middle", turned_ ? -45 : 0,
               map_.columns[c]);
    }
    for (std::size_t r = 0; r < map_.rows.size(); ++r) {
      const double y = top_ + (static_cast<double>(r) + 0.5) * cell_height_;
      svg.text({left_ - 8, y + 4}, shortened(map_.rows[r], kNameCharacters), "tick", "end", 0, map_.rows[r]);
    }
  }

  void cell(Svg& svg, std::size_t r, std::size_t c) {
    const Point corner{left_ + static_cast<double>(c) * cell_width_ + 1,
                       top_ + static_cast<double>(r) * cell_height_ + 1};
    const double w = cell_width_ - 2, h = cell_height_ - 2;
    const double value = map_.values[r][c];
    const std::string tip = map_.tips.empty() ? "" : map_.tips.at(r).at(c);
    const double strength = strength_of(value);
    svg.rect(corner, w, h, "cell-empty", strength > 0 ? "" : tip, 2);
    if (strength > 0) svg.rect(corner, w, h, colour_of(value), tip, 2, opacity(strength));
    if (map_.texts.empty()) return;
    svg.text({corner.x + w / 2, corner.y + h / 2 + 4}, map_.texts.at(r).at(c),
             strength > 0.66 ? "cell-text strong" : "cell-text", "middle");
  }

  // The square root, because traffic spans orders of magnitude, and a third of the largest value must be visible.
  double strength_of(double value) const {
    if (!std::isfinite(value) || value == 0 || full_ <= 0) return 0;
    const double part = std::min(1.0, std::fabs(value) / full_);
    return map_.scale == HeatScale::amount ? 0.06 + 0.94 * std::sqrt(part) : 0.08 + 0.82 * part;
  }

  std::string colour_of(double value) const {
    if (map_.scale == HeatScale::amount) return "fill heat";
    return value < 0 ? "fill heat-minus" : "fill heat-plus";
  }

  void legend(Svg& svg, double y) {
    if (map_.legend.empty() || full_ <= 0) return;
    constexpr int kSteps = 9;
    constexpr double kStep = 14;
    double x = left_;
    for (int i = 0; i < kSteps; ++i) {
      const double part = map_.scale == HeatScale::amount ? static_cast<double>(i) / (kSteps - 1)
                                                          : static_cast<double>(2 * i - kSteps + 1) / (kSteps - 1);
      svg.rect({x, y}, kStep - 1, 10, "cell-empty", "", 1);
      const double strength = strength_of(part * full_);
      if (strength > 0) svg.rect({x, y}, kStep - 1, 10, colour_of(part), "", 1, opacity(strength));
      x += kStep;
    }
    svg.text({x + 8, y + 9.5}, map_.legend, "tick");
  }

  const HeatMap& map_;
  double width_, left_ = 0, top_ = 0, cell_width_ = 0, cell_height_ = 0, full_ = 0, slant_room_ = 0;
  bool turned_ = false;
};

}  // namespace

std::string draw(const HeatMap& map, double width) { return HeatDrawing(map, width).draw(); }

}  // namespace dpm::view

#include "view/space_time.hpp"

#include <algorithm>

#include "model/check.hpp"
#include "view/axis.hpp"
#include "view/svg.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

constexpr double kRow = 30, kBar = 12, kTop = 34, kMachineGap = 10, kBottom = 44, kRight = 26;

class SpaceTimeDrawing {
 public:
  SpaceTimeDrawing(const SpaceTime& diagram, double width)
      : diagram_(diagram), timeline_(diagram.timeline), width_(width) {
    DPM_CHECK(diagram.process_names.size() == timeline_.rows.size());
    DPM_CHECK(diagram.machine_names.size() == timeline_.rows.size());
    double machine_width = 0, process_width = 0, y = kTop;
    for (std::size_t row = 0; row < timeline_.rows.size(); ++row) {
      if (row > 0 && timeline_.rows[row].machine != timeline_.rows[row - 1].machine) y += kMachineGap;
      row_y_.push_back(y + kRow / 2);
      y += kRow;
      machine_width = std::max(machine_width, text_width(shortened(diagram.machine_names[row], 14), 12));
      process_width = std::max(process_width, text_width(shortened(diagram.process_names[row], 20), 12));
    }
    bottom_ = y;
    machine_right_ = machine_width + 10;
    left_ = machine_right_ + process_width + 22;
  }

  std::string draw() {
    Svg svg(width_, bottom_ + kBottom, diagram_.title, diagram_.description);
    legend(svg);
    bands(svg);
    axis(svg);
    for (const auto& segment : timeline_.segments) segment_of(svg, segment);
    for (const auto& arc : timeline_.arcs) arc_of(svg, arc);
    return std::move(svg).finish();
  }

 private:
  double x_of(std::uint64_t time_ns) const {
    const auto window = static_cast<double>(std::max<std::uint64_t>(1, timeline_.to_ns - timeline_.from_ns));
    const double since = static_cast<double>(time_ns) - static_cast<double>(timeline_.from_ns);
    return left_ + since / window * (width_ - left_ - kRight);
  }

  void legend(Svg& svg) {
    svg.rect({left_, 8}, 22, 10, "busy", "", 2);
    svg.text({left_ + 28, 17}, "busy", "legend");
    svg.line({left_ + 76, 13}, {left_ + 98, 13}, "blocked");
    svg.text({left_ + 104, 17}, "blocked in a receive", "legend");
    svg.line({left_ + 236, 17}, {left_ + 258, 9}, "message");
    svg.text({left_ + 264, 17}, "message, sent to received", "legend");
    const bool any_waits = std::any_of(timeline_.arcs.begin(), timeline_.arcs.end(),
                                       [](const TimelineArc& arc) { return arc.of == ArcOf::wait; });
    if (!any_waits) return;
    svg.line({left_ + 428, 17}, {left_ + 450, 9}, "wait");
    svg.text({left_ + 456, 17}, "end of a wait", "legend");
  }

  void bands(Svg& svg) {
    for (std::size_t row = 0; row < timeline_.rows.size();) {
      std::size_t end = row;
      while (end < timeline_.rows.size() && timeline_.rows[end].machine == timeline_.rows[row].machine) ++end;
      const double top = row_y_[row] - kRow / 2, height = row_y_[end - 1] + kRow / 2 - top;
      svg.rect({0, top}, width_, height, "band", "", 4);
      svg.text({8, top + height / 2 + 4}, shortened(diagram_.machine_names[row], 14), "machine", "start", 0,
               diagram_.machine_names[row]);
      row = end;
    }
    for (std::size_t row = 0; row < timeline_.rows.size(); ++row) {
      svg.text({left_ - 10, row_y_[row] + 4}, shortened(diagram_.process_names[row], 20), "tick", "end", 0,
               diagram_.process_names[row]);
    }
  }

  void axis(Svg& svg) {
    const double from_s = static_cast<double>(timeline_.from_ns) * 1e-9,
                 to_s = static_cast<double>(timeline_.to_ns) * 1e-9;
    const double unit = to_s - from_s >= 2 ? 1 : to_s - from_s >= 2e-3 ? 1e-3 : 1e-6;
    const char* unit_name = unit == 1 ? "s" : unit == 1e-3 ? "ms" : "\xC2\xB5s";
    const Axis axis = exact_axis(from_s / unit, to_s / unit, 9);
    for (const double tick : axis.ticks) {
      const double x = left_ + axis.at(tick) * (width_ - left_ - kRight);
      svg.line({x, kTop}, {x, bottom_ + 4}, "rule");
      svg.text({x, bottom_ + 19}, axis.label(tick), "tick", "middle");
    }
    svg.text({(left_ + width_ - kRight) / 2, bottom_ + 38}, std::string("time (") + unit_name + ")", "label", "middle");
  }

  void segment_of(Svg& svg, const TimelineSegment& segment) {
    const double x = x_of(segment.from_ns), end = x_of(segment.to_ns), y = row_y_.at(segment.row);
    const bool busy = segment.kind == SegmentKind::busy;
    const double length_s = static_cast<double>(segment.to_ns - segment.from_ns) * 1e-9;
    const std::string tip = diagram_.process_names[segment.row] + (busy ? " busy " : " blocked ") + seconds(length_s);
    if (busy) {
      svg.rect({x, y - kBar / 2}, std::max(0.4, end - x), kBar, "busy", tip, std::min(2.0, (end - x) / 3));
    } else {
      svg.line({x, y}, {end, y}, "blocked", tip);
    }
  }

  // The part of the line that lies in the window; the slope is that of the whole.
  void arc_of(Svg& svg, const TimelineArc& arc) {
    const Point from{x_of(arc.sent_ns), row_y_.at(arc.from_row)}, to{x_of(arc.received_ns), row_y_.at(arc.to_row)};
    const double low = x_of(timeline_.from_ns), high = x_of(timeline_.to_ns);
    const auto at = [&](double x) {
      return to.x == from.x ? from.y : from.y + (to.y - from.y) * (x - from.x) / (to.x - from.x);
    };
    const Point begin = from.x < low ? Point{low, at(low)} : from;
    const Point end = to.x > high ? Point{high, at(high)} : to;
    const bool wait = arc.of == ArcOf::wait;
    const std::string names =
        diagram_.process_names[arc.from_row] + " \xE2\x86\x92 " + diagram_.process_names[arc.to_row];
    const std::string tip = wait ? names + ", which waited for it"
                                 : names + ", " + bytes(arc.length_bytes) + ", " +
                                       seconds(static_cast<double>(arc.received_ns - arc.sent_ns) * 1e-9);
    svg.line(begin, end, wait ? "wait" : "message", tip);
    if (to.x <= high) svg.circle(to, 1.8, wait ? "wait-end" : "message-end");
  }

  const SpaceTime& diagram_;
  const Timeline& timeline_;
  double width_, left_ = 0, machine_right_ = 0, bottom_ = 0;
  std::vector<double> row_y_;
};

}  // namespace

std::string draw(const SpaceTime& diagram, double width) { return SpaceTimeDrawing(diagram, width).draw(); }

}  // namespace dpm::view

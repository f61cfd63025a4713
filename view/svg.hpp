// Writes one SVG picture: coordinates in pixels of its own size, colours by the classes of style.cpp so that light and
// dark work alike. All text is escaped here.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace dpm::view {

struct Point {
  double x = 0, y = 0;
};

class Svg {
 public:
  // `title` is what a screen reader says first, `description` what a picture would have told.
  Svg(double width, double height, std::string_view title, std::string_view description);

  // `style` is a list of classes. `tip` is shown when the mouse rests on the thing.
  void rect(Point corner, double width, double height, std::string_view style, std::string_view tip = "",
            double round = 0, std::string_view attributes = "");
  void line(Point from, Point to, std::string_view style, std::string_view tip = "", std::string_view attributes = "");
  void circle(Point centre, double radius, std::string_view style, std::string_view tip = "",
              std::string_view attributes = "");
  void polyline(const std::vector<Point>& points, std::string_view style);
  void path(const std::string& commands, std::string_view style, std::string_view tip = "",
            std::string_view attributes = "");
  // `anchor`: start, middle or end. Turned by `degrees` around its anchor.
  void text(Point at, std::string_view content, std::string_view style, std::string_view anchor = "start",
            double degrees = 0, std::string_view tip = "");

  // The whole element. The picture is finished.
  std::string finish() &&;

 private:
  void open(std::string_view element, std::string_view style, std::string_view attributes);
  void close(std::string_view element, std::string_view tip);
  void attribute(std::string_view name, double value);

  std::string out_;
};

}  // namespace dpm::view

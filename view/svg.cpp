#include "view/svg.hpp"

#include "view/text.hpp"

namespace dpm::view {

Svg::Svg(double width, double height, std::string_view title, std::string_view description) {
  out_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 " + coordinate(width) + " " +
         coordinate(height) + "\" width=\"" + coordinate(width) + "\" height=\"" + coordinate(height) + "\">\n<title>" +
         escaped(title) + "</title>\n<desc>" + escaped(description) + "</desc>\n";
}

void Svg::attribute(std::string_view name, double value) {
  ((out_ += ' ') += name) += "=\"" + coordinate(value) + "\"";
}

void Svg::open(std::string_view element, std::string_view style, std::string_view attributes) {
  (out_ += '<') += element;
  if (!style.empty()) out_ += " class=\"" + escaped(style) + "\"";
  if (!attributes.empty()) (out_ += ' ') += attributes;
}

void Svg::close(std::string_view element, std::string_view tip) {
  if (tip.empty()) {
    out_ += "/>\n";
  } else {
    out_ += "><title>" + escaped(tip) + "</title></";
    (out_ += element) += ">\n";
  }
}

void Svg::rect(Point corner, double width, double height, std::string_view style, std::string_view tip, double round,
               std::string_view attributes) {
  open("rect", style, attributes);
  attribute("x", corner.x);
  attribute("y", corner.y);
  attribute("width", width);
  attribute("height", height);
  if (round > 0) attribute("rx", round);
  close("rect", tip);
}

void Svg::line(Point from, Point to, std::string_view style, std::string_view tip, std::string_view attributes) {
  open("line", style, attributes);
  attribute("x1", from.x);
  attribute("y1", from.y);
  attribute("x2", to.x);
  attribute("y2", to.y);
  close("line", tip);
}

void Svg::circle(Point centre, double radius, std::string_view style, std::string_view tip,
                 std::string_view attributes) {
  open("circle", style, attributes);
  attribute("cx", centre.x);
  attribute("cy", centre.y);
  attribute("r", radius);
  close("circle", tip);
}

void Svg::polyline(const std::vector<Point>& points, std::string_view style) {
  open("polyline", style, "");
  out_ += " points=\"";
  for (std::size_t i = 0; i < points.size(); ++i) {
    out_ += (i > 0 ? " " : "") + coordinate(points[i].x) + "," + coordinate(points[i].y);
  }
  out_ += "\"";
  close("polyline", "");
}

void Svg::path(const std::string& commands, std::string_view style, std::string_view tip, std::string_view attributes) {
  open("path", style, attributes);
  out_ += " d=\"" + commands + "\"";
  close("path", tip);
}

void Svg::text(Point at, std::string_view content, std::string_view style, std::string_view anchor, double degrees,
               std::string_view tip) {
  open("text", style, "");
  attribute("x", at.x);
  attribute("y", at.y);
  if (anchor != "start") ((out_ += " text-anchor=\"") += anchor) += "\"";
  if (degrees != 0) {
    out_ += " transform=\"rotate(" + coordinate(degrees) + " " + coordinate(at.x) + " " + coordinate(at.y) + ")\"";
  }
  out_ += ">" + escaped(content);
  if (!tip.empty()) out_ += "<title>" + escaped(tip) + "</title>";
  out_ += "</text>\n";
}

std::string Svg::finish() && {
  out_ += "</svg>\n";
  return std::move(out_);
}

}  // namespace dpm::view

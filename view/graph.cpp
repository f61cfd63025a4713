#include "view/graph.hpp"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/check.hpp"
#include "view/graph_layout.hpp"
#include "view/svg.hpp"
#include "view/text.hpp"

namespace dpm::view {
namespace {

constexpr std::size_t kNameCharacters = 22;

Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
Point operator*(Point a, double by) { return {a.x * by, a.y * by}; }
double length_of(Point a) { return std::hypot(a.x, a.y); }
Point unit(Point a) { return length_of(a) > 0 ? a * (1 / length_of(a)) : Point{1, 0}; }

struct Box {
  double left = 0, top = 0, right = 0, bottom = 0;
  bool touches(const Box& other) const {
    return left < other.right && other.left < right && top < other.bottom && other.top < bottom;
  }
};

// A quadratic curve.
struct Curve {
  Point from, bend, to;
  Point at(double t) const { return from * ((1 - t) * (1 - t)) + bend * (2 * t * (1 - t)) + to * (t * t); }
};

// The point where the line from the centre of a box towards `target` leaves the box.
Point edge_of(Point centre, const BoxSize& size, Point target) {
  const Point d = target - centre;
  const double across = d.x != 0 ? size.width / 2 / std::fabs(d.x) : 1e9;
  const double down = d.y != 0 ? size.height / 2 / std::fabs(d.y) : 1e9;
  return centre + d * std::min(across, down);
}

class GraphDrawing {
 public:
  GraphDrawing(const Graph& graph, double width) : graph_(graph) {
    for (const auto& arc : graph.arcs) {
      DPM_CHECK(arc.from < graph.nodes.size() && arc.to < graph.nodes.size());
      heaviest_ = std::max(heaviest_, arc.weight);
      pairs_.insert({arc.from, arc.to});
    }
    for (const auto& node : graph.nodes) {
      const double text = std::max(text_width(shortened(node.label, kNameCharacters), 13.5), text_width(node.note, 12));
      sizes_.push_back({std::max(54.0, text + 26), node.note.empty() ? 34.0 : 46.0});
    }
    placed_ = place_nodes(graph, sizes_, width);
    for (const auto& arc : graph.arcs) curves_.push_back(curve_of(arc));
    make_room();
  }

  std::string draw() {
    Svg svg(placed_.width, placed_.height, graph_.title, graph_.description);
    for (std::size_t i = 0; i < graph_.arcs.size(); ++i) arc(svg, i);
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) node(svg, i);
    for (std::size_t i = 0; i < graph_.arcs.size(); ++i) label(svg, i);
    return std::move(svg).finish();
  }

 private:
  // All arcs bow to their left, so that an arc and its reverse stay apart. Longer arcs bow more, around the boxes between.
  Curve curve_of(const GraphArc& arc) const {
    const Point a = placed_.centres[arc.from], b = placed_.centres[arc.to];
    if (arc.from == arc.to) {
      const double top = sizes_[arc.from].height / 2;
      return {a + Point{-16, -top}, a + Point{0, -top - 62}, a + Point{16, -top}};
    }
    const auto span = static_cast<double>(placed_.rank[arc.from] > placed_.rank[arc.to]
                                              ? placed_.rank[arc.from] - placed_.rank[arc.to]
                                              : placed_.rank[arc.to] - placed_.rank[arc.from]);
    const bool has_reverse = pairs_.contains({arc.to, arc.from});
    double bow = has_reverse ? 44 : 8;
    if (graph_.layout == GraphLayout::circle) bow = has_reverse ? 26 : 10;
    if (span > 1) bow = 46 + 34 * span;
    const Point direction = unit(b - a);
    const Point left{direction.y, -direction.x};
    const Point bend = (a + b) * 0.5 + left * bow;
    return {edge_of(a, sizes_[arc.from], bend), bend, edge_of(b, sizes_[arc.to], bend)};
  }

  // Curves and labels may reach above and below the boxes: the picture grows to contain them.
  void make_room() {
    double top = 0, bottom = placed_.height;
    for (const auto& curve : curves_) {
      top = std::min(top, curve.at(0.5).y - 18);
      bottom = std::max(bottom, curve.at(0.5).y + 22);
    }
    const double shift = 8 - top;
    for (auto& centre : placed_.centres) centre.y += shift;
    for (auto& curve : curves_) {
      curve.from.y += shift;
      curve.bend.y += shift;
      curve.to.y += shift;
    }
    placed_.height = bottom - top + 16;
    for (std::size_t i = 0; i < sizes_.size(); ++i) {
      const Point c = placed_.centres[i];
      taken_.push_back({c.x - sizes_[i].width / 2, c.y - sizes_[i].height / 2, c.x + sizes_[i].width / 2,
                        c.y + sizes_[i].height / 2});
    }
  }

  double share(const GraphArc& arc) const { return heaviest_ > 0 ? arc.weight / heaviest_ : 0; }

  std::string colour(const GraphArc& arc, const char* what) const {
    if (graph_.colour == GraphColour::weight) return "";
    return std::string("style=\"") + what + ":hsl(" + coordinate(280 * (1 - std::sqrt(share(arc)))) + ",75%,52%)\"";
  }

  void arc(Svg& svg, std::size_t number) {
    const auto& arc = graph_.arcs[number];
    const Curve& curve = curves_[number];
    const double thickness = 1.2 + 3.6 * std::sqrt(share(arc));
    const double head = 7 + thickness;
    const Point direction = unit(curve.to - curve.bend);
    const Point base = curve.to - direction * head;
    const Point side = Point{-direction.y, direction.x} * (head * 0.42);
    const auto xy = [](Point p) { return coordinate(p.x) + " " + coordinate(p.y); };
    const std::string stroke = colour(arc, "stroke");
    svg.path("M" + xy(curve.from) + "Q" + xy(curve.bend) + " " + xy(base), "arc", arc.tip,
             "stroke-width=\"" + coordinate(thickness) + "\"" + (stroke.empty() ? "" : " " + stroke));
    svg.path("M" + xy(curve.to) + "L" + xy(base + side) + "L" + xy(base - side) + "Z", "arc-head", "",
             colour(arc, "fill"));
  }

  void node(Svg& svg, std::size_t number) {
    const auto& node = graph_.nodes[number];
    const Point c = placed_.centres[number];
    const BoxSize size = sizes_[number];
    const Point corner{c.x - size.width / 2, c.y - size.height / 2};
    svg.rect(corner, size.width, size.height, node.outside ? "node outside" : "node", node.tip, 9);
    if (node.heat > 0) {
      svg.rect(corner, size.width, size.height, "fill heat", node.tip, 9,
               "fill-opacity=\"" + fixed(0.45 * std::min(1.0, node.heat), 3) + "\"");
    }
    svg.text({c.x, node.note.empty() ? c.y + 5 : c.y - 2}, shortened(node.label, kNameCharacters), "node-name",
             "middle", 0, node.label);
    if (!node.note.empty()) svg.text({c.x, c.y + 15}, node.note, "node-note", "middle");
  }

  // The middle of the curve, or the nearest free place along it.
  void label(Svg& svg, std::size_t number) {
    const auto& arc = graph_.arcs[number];
    if (arc.label.empty()) return;
    const Curve& curve = curves_[number];
    const double half = text_width(arc.label, 11.5) / 2 + 6;
    Point best = curve.at(0.5);
    for (const double t : {0.5, 0.42, 0.58, 0.34, 0.66, 0.26, 0.74}) {
      const Point p = curve.at(t);
      const Box box{p.x - half, p.y - 8, p.x + half, p.y + 8};
      if (std::any_of(taken_.begin(), taken_.end(), [&](const Box& other) { return other.touches(box); })) continue;
      best = p;
      break;
    }
    taken_.push_back({best.x - half, best.y - 8, best.x + half, best.y + 8});
    svg.text({best.x, best.y + 4}, arc.label, "arc-label", "middle", 0, arc.tip);
  }

  const Graph& graph_;
  double heaviest_ = 0;
  std::set<std::pair<std::uint32_t, std::uint32_t>> pairs_;
  std::vector<BoxSize> sizes_;
  PlacedGraph placed_;
  std::vector<Curve> curves_;
  std::vector<Box> taken_;
};

std::string quoted(const std::string& text) {
  std::string safe = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return safe + "\"";
}

}  // namespace

std::string draw(const Graph& graph, double width) { return GraphDrawing(graph, width).draw(); }

std::string to_dot(const Graph& graph) {
  std::string dot = "digraph " + quoted(graph.title) + " {\n  rankdir=LR;\n  node [shape=box, style=rounded];\n";
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    dot += "  n" + std::to_string(i) + " [label=" + quoted(graph.nodes[i].label);
    if (graph.nodes[i].outside) dot += ", style=\"rounded,dashed\"";
    dot += "];\n";
  }
  for (const auto& arc : graph.arcs) {
    dot += "  n" + std::to_string(arc.from) + " -> n" + std::to_string(arc.to) + " [label=" + quoted(arc.label) +
           ", weight=" + std::to_string(std::llround(std::max(0.0, arc.weight))) + "];\n";
  }
  return dot + "}\n";
}

}  // namespace dpm::view

#include "analysis/clocks/clock_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "analysis/clocks/clock_reading.hpp"
#include "model/check.hpp"

namespace dpm {
namespace {

using Number = ClockGraph::Number;
using Point = ClockGraph::Point;
using Way = ClockGraph::Way;

constexpr Number kGainLeast = 0.1L;              // nanoseconds: less is not worth a corner
constexpr Number kPathRounding = 0.01L;          // of a nanosecond, of a path of many hulls
constexpr std::size_t kPointsMax = 64;           // of a way, where there are few clocks
constexpr std::size_t kPointsOfAll = 4'000'000;  // 200 MB
constexpr std::size_t kContradictionsTried = 100;

// What the second clock reads.
Number reached(const Point& point) { return point.x + point.y; }

Number between(const Point& a, const Point& b, Number x) {
  return b.x > a.x ? a.y + (b.y - a.y) * ((x - a.x) / (b.x - a.x)) : a.y;
}

// The edge of a way at x, or the nearest end.
std::pair<const Point*, const Point*> edge_at(const Way& way, Number x) {
  const auto right = std::lower_bound(way.begin(), way.end(), x, [](const Point& p, Number at) { return p.x < at; });
  if (right == way.end()) return {&way.back(), &way.back()};
  if (right == way.begin() || right->x == x) return {&*right, &*right};
  return {&*right - 1, &*right};
}

// visit(x, y, origins) for the corners of one way after another, from left to right.
template <typename Visit>
void for_each_corner(const Way& first, const Way& second, Visit visit) {
  if (first.empty() || second.empty()) return;
  std::size_t a = 0, b = 0;
  while (a < first.size() && reached(first[a]) < second.front().x) ++a;
  while (b < second.size() && second[b].x < reached(first.front())) ++b;
  for (;;) {
    const bool is_first = a < first.size() && (b == second.size() || reached(first[a]) <= second[b].x);
    if (is_first) {
      if (b == second.size()) return;  // beyond the last of the second
      const Point &p = first[a++], &right = second[b], &left = b == 0 ? right : second[b - 1];
      const Number at = reached(p);
      if (right.x == at)
        visit(p.x, p.y + right.y, p.origin, right.origin, right.origin);
      else
        visit(p.x, p.y + between(left, right, at), p.origin, left.origin, right.origin);
    } else {
      if (a == first.size() || a == 0 || b == second.size()) return;
      const Point &q = second[b++], &left = first[a - 1], &right = first[a];
      const Number rise = reached(right) - reached(left);
      const Number part = rise > 0 ? (q.x - reached(left)) / rise : 0;
      visit(left.x + part * (right.x - left.x), left.y + part * (right.y - left.y) + q.y, left.origin, right.origin,
            q.origin);
    }
  }
}

}  // namespace

ClockGraph::ClockGraph(std::vector<EvenClock> clocks)
    : clocks_(std::move(clocks)),
      ways_(clocks_.size() * clocks_.size()),
      own_(ways_.size()),
      points_max_(std::clamp<std::size_t>(kPointsOfAll / std::max<std::size_t>(1, ways_.size()), 4, kPointsMax)) {}

// A later message that was received earlier proves more than one before it: clocks do not go back.
void ClockGraph::set(Way& way, Way points) const {
  points = lower_hull(std::move(points));
  std::size_t first = 0;
  while (first + 1 < points.size() && reached(points[first + 1]) <= reached(points[first])) ++first;
  points.erase(points.begin(), points.begin() + static_cast<std::ptrdiff_t>(first));
  for (Number loss = kGainLeast; points.size() > points_max_; loss *= 2) {
    Way kept{points.front()};
    bool is_last_kept = true;
    for (std::size_t i = 1; i + 1 < points.size(); ++i) {
      is_last_kept = !is_last_kept || between(points[i - 1], points[i + 1], points[i].x) - points[i].y > loss;
      if (is_last_kept) kept.push_back(points[i]);
    }
    kept.push_back(points.back());
    points = std::move(kept);
  }
  points.shrink_to_fit();
  way = std::move(points);
}

void ClockGraph::add(std::uint32_t from, std::uint32_t to, std::span<const ClockPoint> messages, std::int64_t tick_ns) {
  const auto base_at = static_cast<Number>(clocks_[from].base_ns);
  const Number base_offset = static_cast<Number>(clocks_[to].base_ns) - base_at - static_cast<Number>(tick_ns);
  Way points;
  points.reserve(messages.size());
  for (const ClockPoint& message : messages)
    points.push_back(
        {static_cast<Number>(message.at_ns) - base_at, static_cast<Number>(message.offset_ns) - base_offset});
  Way& own = own_[from * size() + to];
  set(own, std::move(points));
  for (Point& point : own) {
    point.origin = static_cast<std::uint32_t>(messages_.size());
    const std::int64_t sent_ns = clock_reading_ns(clocks_[from].base_ns, 0, point.x);
    messages_.push_back({from, to, sent_ns, clock_reading_ns(clocks_[to].base_ns, -tick_ns, reached(point))});
  }
  way(from, to) = own;
}

void ClockGraph::drop(std::uint32_t a, std::uint32_t b) {
  for (const std::size_t at : {a * size() + b, b * size() + a}) own_[at] = ways_[at] = {};
}

void ClockGraph::forget_paths() {
  ways_ = own_;
  extend();
}

bool ClockGraph::is_possible(std::uint32_t a, std::uint32_t b) const {
  bool is_possible = true;
  for_each_corner(way(a, b), way(b, a), [&](Number, Number y, auto...) { is_possible &= y >= -kPathRounding; });
  return is_possible;
}

void ClockGraph::close() {
  extend();
  find_paths();
  if (extend()) find_paths();
}

// Where both ways bound the drift, they bound the offset before the first and after the last message, too, and near these
// more tightly than the messages of one way do. True if that bounds an offset at more readings than before.
bool ClockGraph::extend() {
  bool is_longer = false;
  for (std::uint32_t a = 0; a < size(); ++a) {
    for (std::uint32_t b = 0; b < size(); ++b) {
      if (a == b || !are_joined_both_ways(a, b) || !is_possible(a, b)) continue;
      const ClockBounds both = bounds(a, b);
      if (!both.is_possible()) continue;
      Way points = way(a, b);
      const std::size_t before = points.size();
      for (const bool is_right : {false, true}) {
        const std::int64_t at_ns = is_right ? clocks_[a].last_ns : clocks_[a].first_ns;
        const Number x = static_cast<Number>(at_ns) - static_cast<Number>(clocks_[a].base_ns);
        const double high = both.offset_at(at_ns).high;
        const Point& end = is_right ? way(a, b).back() : way(a, b).front();
        const bool is_beyond = is_right ? x > end.x : x < end.x;
        if (!std::isfinite(high) || (!is_beyond && (x != end.x || high > end.y - kGainLeast))) continue;
        const auto [above, below] = both.touched_by(is_right);
        points.push_back({x, high, kComposed + static_cast<std::uint32_t>(origins_.size())});
        origins_.push_back({{above.origin, below.origin, below.origin}});
        is_longer |= is_beyond;
      }
      if (points.size() > before) set(way(a, b), std::move(points));
    }
  }
  return is_longer;
}

void ClockGraph::find_paths() {
  constexpr std::size_t kEliminated = std::numeric_limits<std::size_t>::max();
  std::vector<std::vector<bool>> is_neighbour(size(), std::vector<bool>(size()));
  std::vector<std::size_t> degree(size());
  const auto make_neighbours = [&](std::uint32_t a, std::uint32_t b) {
    if (is_neighbour[a][b]) return;
    is_neighbour[a][b] = is_neighbour[b][a] = true;
    ++degree[a], ++degree[b];
  };
  // Those that exchanged messages. In a second round all that are joined would be too many.
  for (std::uint32_t a = 0; a < size(); ++a)
    for (std::uint32_t b = 0; b < size(); ++b)
      if (!own_way(a, b).empty()) make_neighbours(a, b);
  std::vector<std::uint32_t> order;
  std::vector<std::vector<std::uint32_t>> later(size());  // the neighbours of each that are eliminated after it
  while (order.size() < size()) {
    const auto next = static_cast<std::uint32_t>(std::min_element(degree.begin(), degree.end()) - degree.begin());
    for (std::uint32_t c = 0; c < size(); ++c)
      if (is_neighbour[next][c] && degree[c] != kEliminated) later[next].push_back(c);
    for (const std::uint32_t from : later[next]) {
      --degree[from];
      for (const std::uint32_t to : later[next]) {
        if (from == to) continue;
        join(from, next, to);
        if (are_joined(from, to)) make_neighbours(from, to);
      }
    }
    degree[next] = kEliminated;
    order.push_back(next);
  }
  for (std::size_t i = order.size(); i-- > 0;) {
    for (std::size_t done = order.size(); --done > i;) {
      for (const std::uint32_t through : later[order[i]]) {
        join(order[i], through, order[done]);
        join(order[done], through, order[i]);
      }
    }
  }
}

void ClockGraph::join(std::uint32_t from, std::uint32_t through, std::uint32_t to) {
  if (from == to || through == from || through == to) return;
  const Way& known = way(from, to);
  Way found;
  std::size_t right = 0;
  for_each_corner(way(from, through), way(through, to),
                  [&](Number x, Number y, std::uint32_t a, std::uint32_t b, std::uint32_t c) {
                    while (right < known.size() && known[right].x < x) ++right;
                    const bool is_inside = right < known.size() && (right > 0 || known[right].x == x);
                    if (is_inside && y > between(known[right == 0 ? 0 : right - 1], known[right], x) - kGainLeast)
                      return;
                    found.push_back({x, y, kComposed + static_cast<std::uint32_t>(origins_.size())});
                    origins_.push_back({{a, b, c}});
                  });
  if (found.empty()) return;
  found.insert(found.end(), known.begin(), known.end());
  set(way(from, to), std::move(found));
}

ClockBounds ClockGraph::bounds(std::uint32_t a, std::uint32_t b) const {
  Way below = way(b, a);
  for (Point& point : below) point = {reached(point), -point.y, point.origin};
  return {way(a, b), std::move(below), clocks_[a].base_ns,
          clock_reading_ns(clocks_[b].base_ns, 0, -static_cast<Number>(clocks_[a].base_ns))};
}

ClockGraph::Readings ClockGraph::bounded(std::uint32_t a, std::uint32_t b) const {
  const Way &there = way(a, b), &back = way(b, a);
  if (there.empty() && back.empty()) return {};
  Number from = -std::numeric_limits<Number>::infinity(), to = -from;
  if (!there.empty()) from = there.front().x, to = there.back().x;
  if (!back.empty()) from = std::max(from, reached(back.front())), to = std::min(to, reached(back.back()));
  const auto reading = [&](Number x) { return clock_reading_ns(clocks_[a].base_ns, 0, x); };
  return {reading(std::ceil(from)), reading(std::floor(to))};
}

ClockGraph::Number ClockGraph::width(std::uint32_t a, std::uint32_t b) const {
  const Readings readings = bounded(a, b);
  if (!are_joined_both_ways(a, b) || readings.from_ns > readings.to_ns) return std::numeric_limits<Number>::infinity();
  const Number x = static_cast<Number>(readings.from_ns) / 2 + static_cast<Number>(readings.to_ns) / 2 -
                   static_cast<Number>(clocks_[a].base_ns);
  const auto [left, right] = edge_at(way(a, b), x);
  const Number there = between(*left, *right, x);
  const auto [back_left, back_right] = edge_at(way(b, a), x + there);
  return there + between(*back_left, *back_right, x + there);
}

std::vector<ClockMessage> ClockGraph::contradiction() const {
  std::vector<ClockMessage> fewest;
  std::size_t tried = 0;
  for (std::uint32_t a = 0; a < size(); ++a) {
    for (std::uint32_t b = a + 1; b < size() && tried < kContradictionsTried; ++b) {
      Number least = -kPathRounding;
      std::vector<std::uint32_t> origins;
      for_each_corner(way(a, b), way(b, a), [&](Number, Number y, std::uint32_t p, std::uint32_t q, std::uint32_t r) {
        if (y >= least) return;
        least = y;
        origins = {p, q, r};
      });
      if (origins.empty()) continue;
      ++tried;
      auto messages = messages_of(std::move(origins));
      if (fewest.empty() || messages.size() < fewest.size()) fewest = std::move(messages);
    }
  }
  return fewest;
}

std::vector<ClockMessage> ClockGraph::proof(std::uint32_t a, std::uint32_t b, std::int64_t at_ns) const {
  std::vector<std::uint32_t> origins;
  const Number x = static_cast<Number>(at_ns) - static_cast<Number>(clocks_[a].base_ns);
  Number there = 0;
  if (!way(a, b).empty()) {
    const auto [left, right] = edge_at(way(a, b), x);
    origins = {left->origin, right->origin};
    there = between(*left, *right, x);
  }
  if (!way(b, a).empty()) {
    const auto [left, right] = edge_at(way(b, a), x + there);
    origins.insert(origins.end(), {left->origin, right->origin});
  }
  return messages_of(std::move(origins));
}

// Each once, in the order of the path.
std::vector<ClockMessage> ClockGraph::messages_of(std::vector<std::uint32_t> origins) const {
  std::reverse(origins.begin(), origins.end());
  std::unordered_set<std::uint32_t> seen;
  std::vector<ClockMessage> messages;
  while (!origins.empty()) {
    const std::uint32_t origin = origins.back();
    origins.pop_back();
    if (!seen.insert(origin).second) continue;
    if (origin < kComposed) {
      messages.push_back(messages_[origin]);
      continue;
    }
    const auto& corners = origins_[origin - kComposed].corners;
    origins.insert(origins.end(), {corners[2], corners[1], corners[0]});
  }
  return messages;
}

}  // namespace dpm

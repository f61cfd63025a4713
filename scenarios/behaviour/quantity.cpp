#include "scenarios/behaviour/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace dpm {

std::size_t draw_weighted(const std::vector<double>& weights, Random& random) {
  double left = random.uniform(0, std::accumulate(weights.begin(), weights.end(), 0.0));
  std::size_t last_possible = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] <= 0) continue;
    if (left < weights[i]) return i;
    left -= weights[i];
    last_possible = i;  // rounding may leave a crumb behind the last one
  }
  return last_possible;
}

std::size_t Deck::deal(const std::vector<double>& weights, Random& random) {
  if (total_ < .5) {
    left_ = weights;
    total_ = std::accumulate(weights.begin(), weights.end(), 0.0);
  }
  const std::size_t dealt = draw_weighted(left_, random);
  left_[dealt] -= 1;
  total_ -= 1;
  return dealt;
}

namespace {

// The inverse of the distribution function between `scale` and `at_most`.
Result<double> draw_pareto(double scale, double shape, double at_most, Random& random) {
  if (at_most < scale)
    return Error{fmt::format("'at_most' of 'pareto' must be at least its scale, {:.15g}, not {:.15g}", scale, at_most)};
  const double beyond = std::pow(scale / at_most, shape);
  return std::min(at_most, scale * std::pow(1 - random.uniform() * (1 - beyond), -1 / shape));
}

double draw_normal(double mean, double sd, Random& random) {
  double drawn = mean + sd * random.normal();
  while (drawn < 0) drawn = mean + sd * random.normal();
  return drawn;
}

}  // namespace

Result<double> draw(const Quantity& quantity, Deck& deck, Random& random, const NumberOf& number_of) {
  switch (quantity.kind) {
    case Quantity::Kind::constant:
      return number_of(quantity.first);
    case Quantity::Kind::choice:
      return quantity.values[draw_weighted(quantity.weights, random)];
    case Quantity::Kind::measured:
      return quantity.values[deck.deal(quantity.weights, random)];
    default:
      break;
  }
  const double first = number_of(quantity.first), second = number_of(quantity.second);
  switch (quantity.kind) {
    case Quantity::Kind::uniform:
      if (first > second) return Error{fmt::format("'uniform' must be [low, high], not [{}, {}]", first, second)};
      return random.uniform(first, second);
    case Quantity::Kind::normal:
      return std::min(draw_normal(first, second, random), quantity.largest);
    case Quantity::Kind::log_normal:
      return std::min(first * std::exp(second * (random.normal() - (quantity.of_mean ? second / 2 : 0))),
                      quantity.largest);
    case Quantity::Kind::pareto:
      return draw_pareto(first, second, quantity.at_most ? number_of(*quantity.at_most) : quantity.largest, random);
    default:
      return random.exponential(first);
  }
}

}  // namespace dpm

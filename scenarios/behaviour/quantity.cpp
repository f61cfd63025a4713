#include "scenarios/behaviour/quantity.hpp"

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

double draw(const Quantity& quantity, Deck& deck, Random& random) {
  switch (quantity.kind) {
    case Quantity::Kind::constant:
      return quantity.low;
    case Quantity::Kind::uniform:
      return random.uniform(quantity.low, quantity.high);
    case Quantity::Kind::exponential:
      return random.exponential(quantity.low);
    case Quantity::Kind::choice:
      return quantity.values[draw_weighted(quantity.weights, random)];
    case Quantity::Kind::measured:
      return quantity.values[deck.deal(quantity.weights, random)];
  }
  return quantity.low;
}

}  // namespace dpm

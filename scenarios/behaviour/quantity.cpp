#include <numeric>

#include "scenarios/behaviour/behaviour.hpp"

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

double Quantity::draw(Random& random) const {
  switch (kind) {
    case Kind::constant: return low;
    case Kind::uniform: return random.uniform(low, high);
    case Kind::exponential: return random.exponential(low);
    case Kind::choice: return values[draw_weighted(weights, random)];
  }
  return low;
}

}  // namespace dpm

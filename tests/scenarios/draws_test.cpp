// Draws against the moments of their distributions.
#include <cmath>
#include <vector>

#include "scenarios/behaviour/quantity.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

constexpr int kDraws = 200'000;

struct Moments {
  double mean = 0, sd = 0;
};

double standard_density(double x) { return std::exp(-x * x / 2) / std::sqrt(2 * std::acos(-1.0)); }
double standard_below(double x) { return std::erfc(-x / std::sqrt(2.0)) / 2; }

Quantity quantity(Quantity::Kind kind, double first, double second) {
  Quantity drawn;
  drawn.kind = kind;
  drawn.first = first;
  drawn.second = second;
  return drawn;
}

std::vector<double> draws(const Quantity& quantity) {
  Deck deck;
  Random random(7);
  std::vector<double> values;
  for (int i = 0; i < kDraws; ++i)
    values.push_back(*draw(quantity, deck, random, [](const Value& value) { return value.number; }));
  return values;
}

Moments of(const std::vector<double>& values) {
  Moments found;
  for (const double value : values) found.mean += value / kDraws;
  for (const double value : values) found.sd += (value - found.mean) * (value - found.mean) / kDraws;
  found.sd = std::sqrt(found.sd);
  return found;
}

void check(const Quantity& quantity, Moments expected) {
  const auto values = draws(quantity);
  const Moments found = of(values);
  INFO("first " << quantity.first.number << ", second " << quantity.second.number);
  CHECK(found.mean == Approx(expected.mean).margin(5 * expected.sd / std::sqrt(kDraws)));
  CHECK(found.sd == Approx(expected.sd).epsilon(0.03));
  for (const double value : values) REQUIRE(value >= 0);
}

// Of a normal distribution above 0.
Moments above_0(double mean, double sd) {
  const double hazard = standard_density(mean / sd) / standard_below(mean / sd);
  return {mean + sd * hazard, sd * std::sqrt(1 - mean / sd * hazard - hazard * hazard)};
}

// Of x^k, of a Pareto distribution up to `most`.
double pareto_moment(double scale, double shape, double most, int k) {
  const double beyond = std::pow(scale / most, shape);
  return std::pow(scale, shape) * shape / (1 - beyond) * (std::pow(scale, k - shape) - std::pow(most, k - shape)) /
         (shape - k);
}

}  // namespace

TEST_CASE("draws: normal values have their mean and deviation, and those below 0 are drawn again", "[scenarios]") {
  for (const auto& [mean, sd] : {std::pair(10.0, 1.0), {0.5, 0.25}, {1.0, 1.0}, {0.0, 2.0}})
    check(quantity(Quantity::Kind::normal, mean, sd), above_0(mean, sd));
  CHECK(of(draws(quantity(Quantity::Kind::normal, 3, 0))).mean == Approx(3));
}

TEST_CASE("draws: log-normal values have the moments of their median, or of their mean", "[scenarios]") {
  for (const auto& [first, sigma] : {std::pair(0.01, 0.5), {2.0, 0.25}, {1.0, 0.75}}) {
    const double variance = sigma * sigma, spread = std::sqrt(std::exp(variance) - 1);
    Quantity by_median = quantity(Quantity::Kind::log_normal, first, sigma), by_mean = by_median;
    by_mean.of_mean = true;
    const double mean = first * std::exp(variance / 2);
    check(by_median, {mean, mean * spread});
    check(by_mean, {first, first * spread});
  }
}

TEST_CASE("draws: Pareto values have the moments of their scale and shape, and none exceeds the largest",
          "[scenarios]") {
  for (const auto& [scale, shape, most] : {std::tuple(1.0, 6.0, 1e15), {0.01, 1.5, 1.0}, {2.0, 0.5, 100.0}}) {
    Quantity pareto = quantity(Quantity::Kind::pareto, scale, shape);
    pareto.at_most = most;
    const double mean = pareto_moment(scale, shape, most, 1), square = pareto_moment(scale, shape, most, 2);
    check(pareto, {mean, std::sqrt(square - mean * mean)});
    for (const double value : draws(pareto)) REQUIRE((value >= scale && value <= most));
  }
}

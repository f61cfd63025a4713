// A number, or a distribution to draw it from. Never negative.
//
// Measured values are dealt, not drawn: each comes up as often as its weight says, in random order, before the deck is
// shuffled again. So a process that draws as often as was measured uses exactly what was measured, and runs differ only
// in the order.
#pragma once

#include <cstddef>
#include <vector>

#include "model/random.hpp"

namespace dpm {

struct Quantity {
  enum class Kind { constant, uniform, exponential, choice, measured };

  Kind kind = Kind::constant;
  double low = 0;               // the constant, the low end, or the mean
  double high = 0;              // the high end
  std::vector<double> values;   // of a choice, or measured
  std::vector<double> weights;  // as many; whole numbers of what was measured
  bool one_weight = false;      // how it is written: one weight for all values
  std::size_t slot = 0;         // of what a process remembers, for the deck

  static Quantity constant(double value) { return {Kind::constant, value, 0, {}, {}}; }
};

// What is left of a deck that holds index i weights[i] times. One belongs to one step of one process.
class Deck {
 public:
  std::size_t deal(const std::vector<double>& weights, Random& random);

 private:
  std::vector<double> left_;
  double total_ = 0;
};

// Only measured quantities use `deck`.
double draw(const Quantity& quantity, Deck& deck, Random& random);

// Which of `weights` comes up; they are not negative and not all zero.
std::size_t draw_weighted(const std::vector<double>& weights, Random& random);

}  // namespace dpm

// Numbers of a program: given, calculated when they are needed, or drawn. Drawn ones are never negative.
//
// Measured values are dealt, not drawn: each comes up as often as its weight says, in random order, before the deck is
// shuffled again. So a process that draws as often as was measured uses exactly what was measured, and runs differ only
// in the order.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "model/random.hpp"
#include "scenarios/document/expression.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

// A number, or an expression over what is known only when the program runs.
struct Value {
  double number = 0;
  std::string
      written{};  // how it stands in the file, unless as the number: "$name", "${...}", or the name of a variable
  std::shared_ptr<const Expression> expression{};  // null: the number
  Range range = kAnyNumber;                        // of what the expression gives
  bool whole = false;

  Value() = default;
  template <typename Number, typename = std::enable_if_t<std::is_arithmetic_v<Number>>>
  Value(Number value, std::string as_written = {})
      : number(static_cast<double>(value)), written(std::move(as_written)) {}
  std::uint64_t count() const { return static_cast<std::uint64_t>(number); }
};

struct Quantity {
  enum class Kind { constant, uniform, exponential, normal, log_normal, pareto, choice, measured };

  Kind kind = Kind::constant;
  Value first;                     // the constant; the low end; the mean; the median of log_normal; the scale of pareto
  Value second;                    // the high end; the standard deviation; sigma of log_normal; the shape of pareto
  std::vector<double> values;      // of a choice, or measured
  std::vector<double> weights;     // as many; whole numbers of what was measured
  bool one_weight = false;         // how it is written: one weight for all values
  std::size_t slot = 0;            // of what a process remembers, for the deck
  std::optional<Value> at_most{};  // of pareto
  double largest = kAnyNumber.high;  // normal, log_normal and pareto are cut off there
  bool of_mean = false;              // log_normal is given by its mean instead of its median

  static Quantity constant(Value value) { return {Kind::constant, std::move(value), {}, {}, {}}; }
  bool is_known() const { return kind == Kind::constant && first.expression == nullptr; }
};

// What is left of a deck that holds index i weights[i] times. One belongs to one step of one process.
class Deck {
 public:
  std::size_t deal(const std::vector<double>& weights, Random& random);

 private:
  std::vector<double> left_;
  double total_ = 0;
};

// Only measured quantities use `deck`. `number_of` calculates the values.
using NumberOf = std::function<double(const Value&)>;
// Refuses numbers that no draw can be made of.
Result<double> draw(const Quantity& quantity, Deck& deck, Random& random, const NumberOf& number_of);

// Which of `weights` comes up; they are not negative and not all zero.
std::size_t draw_weighted(const std::vector<double>& weights, Random& random);

}  // namespace dpm

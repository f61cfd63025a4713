// Arithmetic in a file: "index % count + 1".
//
//   sum = product { (+ | -) product }     product = factor { (* | / | %) factor }
//   factor = number | name | ( sum ) | - factor | (min | max) ( sum, sum ) | floor ( sum )
//
// % is the remainder that has the sign of the divisor, so that (index - 2) % n is never negative. A name is letters, digits,
// '_' and '.'. Its value is known when the file is read, or only when the program runs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "model/result.hpp"

namespace dpm {

// A value that is known only when the program runs, by a number that the reader of the name has given it.
struct KnownLater {
  std::size_t number = 0;
};

class Expression {
 public:
  using Meaning = std::variant<double, KnownLater>;
  using MeaningOf = std::function<Result<Meaning>(const std::string& name)>;
  using ValueOf = std::function<double(KnownLater)>;

  static Result<Expression> parse(std::string_view text, const MeaningOf& meaning_of);

  // Every name in it is known already.
  bool is_known() const;
  // Refuses divisions by 0 and results that are too large.
  Result<double> value(const ValueOf& value_of) const;

 private:
  friend class ExpressionParser;

  enum class What : std::uint8_t { number, later, negate, add, subtract, multiply, divide, remainder, min, max, floor };
  struct Operation {
    What what;
    double number = 0;
    std::size_t later = 0;
  };

  std::vector<Operation> operations_;  // operands before their operator
};

// Of an expression in which all names are known.
Result<double> evaluate(std::string_view expression, const std::function<Result<double>(const std::string&)>& value_of);

}  // namespace dpm

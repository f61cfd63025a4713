#include "scenarios/document/expression.hpp"

#include <fmt/format.h>

#include <cctype>
#include <cmath>
#include <cstdlib>

namespace dpm {
namespace {

constexpr std::size_t kLongest = 1000;
constexpr int kDeepest = 50;

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

// Every function returns a harmless number when there is an error. The first error is kept.
class Evaluation {
 public:
  Evaluation(std::string_view text, const ValueOf& value_of) : text_(text), value_of_(value_of) {}

  Result<double> result() {
    const double value = sum();
    if (error_.empty() && next() != '\0') fail(fmt::format("what is '{}'", text_.substr(at_)));
    if (error_.empty() && !std::isfinite(value)) fail("the result is too large");
    if (!error_.empty()) return Error{error_};
    return value;
  }

 private:
  double sum() {
    double value = product();
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      const double other = product();
      value = sign == '+' ? value + other : value - other;
    }
    return value;
  }

  double product() {
    double value = factor();
    for (char sign = next(); sign == '*' || sign == '/' || sign == '%'; sign = next()) {
      ++at_;
      const double other = factor();
      if (sign == '*') {
        value *= other;
        continue;
      }
      if (other == 0) return fail(sign == '/' ? "division by 0" : "remainder of a division by 0");
      value = sign == '/' ? value / other : value - other * std::floor(value / other);
    }
    return value;
  }

  double factor() {
    if (++depth_ > kDeepest) return fail("it is too deep");
    double value = 0;
    const char first = next();
    if (first == '-') {
      ++at_;
      value = -factor();
    } else if (first == '(') {
      ++at_;
      value = sum();
      if (next() != ')') return fail("a ')' is missing");
      ++at_;
    } else if (is_digit(first) || first == '.') {
      value = number();
    } else if (is_name(first)) {
      value = named();
    } else {
      return fail(at_ == text_.size() ? "something is missing at its end"
                                      : fmt::format("what is '{}'", text_.substr(at_)));
    }
    --depth_;
    return value;
  }

  double number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string digits(text_.substr(begin, at_ - begin));
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    return *end == '\0' ? value : fail(fmt::format("'{}' is not a number", digits));
  }

  double named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const auto value = value_of_(std::string(text_.substr(begin, at_ - begin)));
    return value ? *value : fail(value.error().what);
  }

  // The next character that is not a blank, or 0 at the end and after an error.
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() && error_.empty() ? text_[at_] : '\0';
  }

  double fail(const std::string& what) {
    if (error_.empty()) error_ = what;
    return 1;
  }

  std::string_view text_;
  const ValueOf& value_of_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

}  // namespace

Result<double> evaluate(std::string_view expression, const ValueOf& value_of) {
  if (expression.size() > kLongest) return Error{fmt::format("it has more than {} characters", kLongest)};
  return Evaluation(expression, value_of).result();
}

}  // namespace dpm

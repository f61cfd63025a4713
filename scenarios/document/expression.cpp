#include "scenarios/document/expression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>

namespace dpm {
namespace {

constexpr std::size_t kLongest = 1000;
constexpr int kDeepest = 50;

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; }
bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

// The first error is kept.
class ExpressionParser {
 public:
  ExpressionParser(std::string_view text, const Expression::MeaningOf& meaning_of)
      : text_(text), meaning_of_(meaning_of) {}

  Result<Expression> result() {
    sum();
    if (error_.empty() && next() != '\0') fail_at_rest();
    if (!error_.empty()) return Error{error_};
    return std::move(expression_);
  }

 private:
  using What = Expression::What;

  void add(What what, double number = 0, std::size_t later = 0) {
    expression_.operations_.push_back({what, number, later});
  }

  void sum() {
    product();
    for (char sign = next(); sign == '+' || sign == '-'; sign = next()) {
      ++at_;
      product();
      add(sign == '+' ? What::add : What::subtract);
    }
  }

  void product() {
    factor();
    for (char sign = next(); sign == '*' || sign == '/' || sign == '%'; sign = next()) {
      ++at_;
      factor();
      add(sign == '*' ? What::multiply : sign == '/' ? What::divide : What::remainder);
    }
  }

  void factor() {
    if (++depth_ > kDeepest) return fail("it is too deep");
    const char first = next();
    if (first == '-') {
      ++at_;
      factor();
      add(What::negate);
    } else if (first == '(') {
      ++at_;
      sum();
      expect(')');
    } else if (is_digit(first) || first == '.') {
      number();
    } else if (is_name(first)) {
      named();
    } else if (at_ == text_.size()) {
      fail("something is missing at its end");
    } else {
      fail_at_rest();
    }
    --depth_;
  }

  void number() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
    const std::string digits(text_.substr(begin, at_ - begin));
    char* end = nullptr;
    const double value = std::strtod(digits.c_str(), &end);
    if (*end != '\0') return fail(fmt::format("'{}' is not a number", digits));
    add(What::number, value);
  }

  void named() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && is_name(text_[at_])) ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (next() == '(') return function(name);
    const auto meaning = meaning_of_(name);
    if (!meaning) return fail(meaning.error().what);
    if (const auto* known = std::get_if<double>(&*meaning)) return add(What::number, *known);
    add(What::later, 0, std::get<KnownLater>(*meaning).number);
  }

  void function(const std::string& name) {
    const bool of_two = name == "min" || name == "max";
    if (!of_two && name != "floor") return fail(fmt::format("no function '{}'; there is min, max and floor", name));
    ++at_;
    sum();
    if (of_two) {
      expect(',');
      sum();
    }
    expect(')');
    add(name == "floor" ? What::floor : name == "min" ? What::min : What::max);
  }

  void expect(char wanted) {
    if (next() != wanted) return fail(fmt::format("a '{}' is missing", wanted));
    ++at_;
  }

  // The next character that is not a blank, or 0 at the end and after an error.
  char next() {
    while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    return at_ < text_.size() && error_.empty() ? text_[at_] : '\0';
  }

  void fail_at_rest() { fail(fmt::format("what is '{}'", text_.substr(at_))); }
  void fail(const std::string& what) {
    if (error_.empty()) error_ = what;
  }

  std::string_view text_;
  const Expression::MeaningOf& meaning_of_;
  Expression expression_;
  std::size_t at_ = 0;
  int depth_ = 0;
  std::string error_;
};

Result<Expression> Expression::parse(std::string_view text, const MeaningOf& meaning_of) {
  if (text.size() > kLongest) return Error{fmt::format("it has more than {} characters", kLongest)};
  return ExpressionParser(text, meaning_of).result();
}

bool Expression::is_known() const {
  return std::none_of(operations_.begin(), operations_.end(),
                      [](const auto& each) { return each.what == What::later; });
}

Result<double> Expression::value(const ValueOf& value_of) const {
  std::vector<double> stack;
  stack.reserve(operations_.size());
  for (const Operation& operation : operations_) {
    if (operation.what == What::number || operation.what == What::later) {
      stack.push_back(operation.what == What::number ? operation.number : value_of({operation.later}));
      continue;
    }
    if (operation.what == What::negate || operation.what == What::floor) {
      stack.back() = operation.what == What::negate ? -stack.back() : std::floor(stack.back());
      continue;
    }
    const double b = stack.back();
    stack.pop_back();
    double& a = stack.back();
    if (b == 0 && operation.what == What::divide) return Error{"division by 0"};
    if (b == 0 && operation.what == What::remainder) return Error{"remainder of a division by 0"};
    a = operation.what == What::add         ? a + b
        : operation.what == What::subtract  ? a - b
        : operation.what == What::multiply  ? a * b
        : operation.what == What::divide    ? a / b
        : operation.what == What::remainder ? a - b * std::floor(a / b)
        : operation.what == What::min       ? std::min(a, b)
                                            : std::max(a, b);
  }
  if (!std::isfinite(stack.back())) return Error{"the result is too large"};
  return stack.back();
}

Result<double> evaluate(std::string_view expression,
                        const std::function<Result<double>(const std::string&)>& value_of) {
  const auto parsed = Expression::parse(expression, [&](const std::string& name) -> Result<Expression::Meaning> {
    const auto value = value_of(name);
    if (!value) return value.error();
    return Expression::Meaning{*value};
  });
  if (!parsed) return parsed.error();
  return parsed->value({});
}

}  // namespace dpm

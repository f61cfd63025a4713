#include "scenarios/document/expression.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

Result<double> value_of(const std::string& name) {
  if (name == "index") return 3.0;
  if (name == "count") return 4.0;
  return Error{"no parameter '" + name + "'"};
}

double value(const std::string& text) {
  INFO(text);
  const auto result = evaluate(text, value_of);
  REQUIRE(result.has_value());
  return *result;
}

std::string refusal(const std::string& text) {
  const auto result = evaluate(text, value_of);
  return result ? "accepted" : result.error().what;
}

}  // namespace

TEST_CASE("expression: products come before sums, and from left to right", "[scenarios]") {
  CHECK(value("index") == 3);
  CHECK(value(" index+1 ") == 4);
  CHECK(value("1 + 2 * 3 - 4") == 3);
  CHECK(value("(1 + 2) * -3") == -9);
  CHECK(value("12 / 2 / 3") == 2);
  CHECK(value("10 - 3 - 2") == 5);
  CHECK(value("2.5 * index") == 7.5);
  CHECK(value("--index") == 3);
}

TEST_CASE("expression: a remainder is never negative, so that a ring closes in both directions", "[scenarios]") {
  CHECK(value("index % count + 1") == 4);
  CHECK(value("count % count + 1") == 1);
  CHECK(value("(1 - 2) % count + 1") == 4);
  CHECK(value("5.5 % 2") == 1.5);
}

TEST_CASE("expression: what has no value is refused", "[scenarios]") {
  CHECK(refusal("") == "something is missing at its end");
  CHECK(refusal("index +") == "something is missing at its end");
  CHECK(refusal("(index + 1") == "a ')' is missing");
  CHECK(refusal("index 1") == "what is '1'");
  CHECK(refusal("index $") == "what is '$'");
  CHECK(refusal("* 2") == "what is '* 2'");
  CHECK(refusal("1.2.3") == "'1.2.3' is not a number");
  CHECK(refusal("members + 1") == "no parameter 'members'");
  CHECK(refusal("1 / (index - 3)") == "division by 0");
  CHECK(refusal("1 % 0") == "remainder of a division by 0");
  CHECK(refusal(std::string(100, '(') + "1" + std::string(100, ')')) == "it is too deep");
  CHECK(refusal(std::string(400, '-') + "1") == "it is too deep");
  CHECK(refusal(std::string(1001, '1')) == "it has more than 1000 characters");
  CHECK(refusal(std::string(400, '9') + "*" + std::string(400, '9')) == "the result is too large");
}

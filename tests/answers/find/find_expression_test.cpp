#include "answers/find/find_expression.hpp"

#include "tests/support/catch.hpp"

namespace dpm::cli {
namespace {

std::string refusal(const std::string& text) {
  const auto expression = parse_find_expression(text);
  INFO(text);
  REQUIRE_FALSE(expression);
  return expression.error().what;
}

FindCondition only_condition(const std::string& text) {
  const auto expression = parse_find_expression(text);
  INFO(text);
  REQUIRE(expression);
  REQUIRE(expression->rules.size() == 1);
  REQUIRE(expression->rules[0].size() == 1);
  return expression->rules[0][0];
}

TEST_CASE("find: an expression is a kind and rules, with the operators, times and sizes of filter rules and options",
          "[find]") {
  struct Case {
    const char* text;
    ItemKind kind;
    std::size_t rules, conditions;
  };
  for (const auto& [text, kind, rules, conditions] : {
           Case{"", ItemKind::messages, 0, 0},
           {"   ", ItemKind::messages, 0, 0},
           {"gaps", ItemKind::gaps, 0, 0},
           {"from:nginx wait>10ms", ItemKind::messages, 1, 2},
           {"from:nginx, wait > 10ms", ItemKind::messages, 1, 2},
           {"messages from:a to:b bytes>=1k latency<5us", ItemKind::messages, 1, 4},
           {"requests from:a; from:b", ItemKind::requests, 2, 2},
           {"wait>1s;", ItemKind::messages, 1, 1},
           {"channels messages>3", ItemKind::channels, 1, 1},
           {"processes cpu≥1s program!=sh", ItemKind::processes, 1, 2},
           {"from:'outside 10.0.0.1:80' to:\"a b\"", ItemKind::messages, 1, 2},
       }) {
    INFO(text);
    const auto expression = parse_find_expression(text);
    REQUIRE(expression);
    CHECK(expression->kind == kind);
    CHECK(expression->rules.size() == rules);
    std::size_t found = 0;
    for (const FindRule& rule : expression->rules) found += rule.size();
    CHECK(found == conditions);
  }
}

TEST_CASE("find: a condition has its field, its operator and its value in the unit of the field", "[find]") {
  const FindCondition wait = only_condition("wait<=2.5ms");
  CHECK(wait.field->name == "wait");
  CHECK(wait.comparison == Comparison::at_most);
  CHECK(wait.amount == 2'500'000);
  CHECK(only_condition("bytes≠64KiB").amount == 65536);
  CHECK(only_condition("bytes≠64KiB").comparison == Comparison::not_equal);
  CHECK(only_condition("at>3").amount == 3'000'000'000);  // seconds without a unit
  CHECK(only_condition("requests number=12").amount == 12);
  const FindCondition called = only_condition("from:'a b'");
  CHECK(called.name == "a b");
  CHECK(called.with_numbered);
  CHECK(called.comparison == Comparison::equal);
  CHECK_FALSE(only_condition("from=a").with_numbered);
  CHECK(only_condition("from!=a").comparison == Comparison::not_equal);
}

TEST_CASE("find: a mistake is shown by its place, with what is expected and an example", "[find]") {
  struct Case {
    const char* text;
    const char* place;
    const char* what;
  };
  for (const auto& [text, place, what] : {
           Case{"waitt>3",
                "character 1:", "messages have no field 'waitt' (did you mean 'wait'?); theirs are from, to"},
           {"mesages", "character 1:", "(did you mean 'messages'?)"},
           {"from:a wait>>10ms", "character 13:", "'>10ms' is not a time"},
           {"wait>10ms bytes>5ms", "character 17:", "'5ms' is not a size"},
           {"wait", "character 5:", "expected one of > < = != >= <= after 'wait', found the end (a shell takes"},
           {"from>a", "character 5:", "expected one of : = != after 'from', found '>a'"},
           {"wait:10ms", "character 5:", "expected one of > < = != >= <= after 'wait'"},
           {"from:", "character 6:", "expected a name"},
           {"from:'a", "character 6:", "the quote ' does not end"},
           {"requests number>1.5", "character 17:", "'1.5' is not a whole number"},
           {"wait>1s,", "character 9:", "expected a condition at the end"},
           {", wait>1s", "character 1:", "expected a condition before ','"},
           {"from:ä wait>x", "character 13:", "'x' is not a time"},
           {">3", "character 1:", "expected the name of a field, found '>3'"},
           {"gaps bytes>3", "character 6:", "gaps have no field 'bytes'"},
       }) {
    INFO(text);
    const std::string refused = refusal(text);
    CHECK_THAT(refused, Catch::StartsWith(place));
    CHECK_THAT(refused, Catch::Contains(what));
    CHECK_THAT(refused, Catch::EndsWith("an example: 'messages from:server latency>10ms'"));
  }
}

TEST_CASE("find: the example of every refusal is an expression", "[find]") {
  CHECK(parse_find_expression("messages from:server latency>10ms"));
}

}  // namespace
}  // namespace dpm::cli

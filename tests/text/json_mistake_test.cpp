#include "text/json_mistake.hpp"

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

std::string mistake_in(std::string_view text) {
  const auto mistake = find_json_mistake(text);
  return mistake ? std::to_string(mistake->line) + ":" + std::to_string(mistake->column) + " " + mistake->what : "";
}

}  // namespace

TEST_CASE("json mistake: JSON has none", "[model]") {
  for (const auto* text : {"{}", "[]", " 1 ", "-0.5e+10", "null", R"("a\n\u00e9\ud83d\ude00é")",
                           R"({"a": [1, {"b": true}, []], "c": ""})", "\xEF\xBB\xBF{\"a\": 1}\r\n"}) {
    INFO(text);
    CHECK(mistake_in(text).empty());
  }
}

TEST_CASE("json mistake: what is wrong is named with its place, and what may stand there", "[text]") {
  CHECK(mistake_in("{\"a\": 1,\n}") == "2:1 unexpected '}'; expected string literal");
  CHECK(mistake_in("{\"a\": 1\n\"b\": 2}") == "2:3 unexpected string literal; expected '}'");
  CHECK(mistake_in("[1 2]") == "1:4 unexpected number literal; expected ']'");
  CHECK(mistake_in("{} {}") == "1:4 unexpected '{'; expected end of input");
  CHECK(mistake_in("{\"a\": 1\n") == "2:1 unexpected end of input; expected '}'");
  CHECK(mistake_in("[1e999]") == "1:2 number overflow parsing '1e999'");
}

TEST_CASE("json mistake: what texts cannot be, and a long reason is cut", "[text]") {
  CHECK(mistake_in("[\"abc") == "1:6 invalid string: missing closing quote; last read: '\"abc'");
  CHECK(mistake_in("[\"a\\qb\"]") == "1:5 invalid string: forbidden character after backslash; last read: '\"a\\q'");
  CHECK(mistake_in("[\"\xC3\"]").starts_with("1:4 invalid string: ill-formed UTF-8 byte"));
  const auto mistake = find_json_mistake("[\"" + std::string(1000, 'x') + "\\q\"]");
  REQUIRE(mistake);
  CHECK(mistake->what.size() < 200);
}

TEST_CASE("json mistake: exceptions of the library are put into our words", "[model]") {
  CHECK(json_content_mistake("[json.exception.out_of_range.403] key 'seed' not found") == "it has no 'seed'");
  CHECK(json_content_mistake("[json.exception.type_error.302] type must be string, but is number") ==
        "a value must be a text, and is a number");
  CHECK(json_content_mistake("[json.exception.type_error.304] cannot use at() with null") ==
        "a value must be an object or a list, and is null");
  CHECK(json_content_mistake("[json.exception.out_of_range.401] array index 1 is out of range") ==
        "a list is too short");
}

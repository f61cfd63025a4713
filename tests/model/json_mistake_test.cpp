#include "model/json_mistake.hpp"

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

TEST_CASE("json mistake: the token that is wrong is named with its place, and what may stand there", "[model]") {
  CHECK(mistake_in("{\n \"a\": nonsense\n}") == "2:7 unexpected 'nonsense'; expected a value");
  CHECK(mistake_in("{\"a\": 1,\n}") == "2:1 unexpected '}'; expected a name in quotes");
  CHECK(mistake_in("{\"a\": 1\n\"b\": 2}") == "2:1 unexpected '\"b\"'; expected ',' or '}'");
  CHECK(mistake_in("{\"a\" 1}") == "1:6 unexpected '1'; expected ':'");
  CHECK(mistake_in("[1 2]") == "1:4 unexpected '2'; expected ',' or ']'");
  CHECK(mistake_in("[}") == "1:2 unexpected '}'; expected a value or ']'");
  CHECK(mistake_in("{]") == "1:2 unexpected ']'; expected a name in quotes or '}'");
  CHECK(mistake_in("{} {}") == "1:4 unexpected '{'; expected nothing more");
  CHECK(mistake_in("[01]") == "1:2 unexpected '01'; expected a value or ']'");
  CHECK(mistake_in("[1.]") == "1:2 unexpected '1.'; expected a value or ']'");
  CHECK(mistake_in("[\"é\", x]") == "1:7 unexpected 'x'; expected a value");
  CHECK(mistake_in("[" + std::string(100, 'x') + "]") ==
        "1:2 unexpected '" + std::string(24, 'x') + "...'; expected a value or ']'");
}

TEST_CASE("json mistake: a text that ends too early, and what texts and numbers cannot be", "[model]") {
  CHECK(mistake_in("") == "1:1 it ends too early; expected a value");
  CHECK(mistake_in("{\"a\": 1\n") == "2:1 it ends too early; expected ',' or '}'");
  CHECK(mistake_in("[\"abc") == "1:6 it ends inside a text");
  CHECK(mistake_in("[\"abc\n\"]") == "1:6 a text ends without '\"' at the end of its line");
  CHECK(mistake_in("[\"a\tb\"]") == "1:4 a control character in a text; write \\u0009 for it");
  CHECK(mistake_in("[\"a\\qb\"]") == "1:4 JSON has no escape '\\q'");
  CHECK(mistake_in("[\"\\ud83d\"]") == "1:3 JSON has no escape '\\u'");
  CHECK(mistake_in("[\"\xC3\"]") == "1:2 a text is not UTF-8");
  CHECK(mistake_in("[1e999]") == "1:2 the number '1e999' is too large");
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

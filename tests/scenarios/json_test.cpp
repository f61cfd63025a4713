#include "scenarios/document/json_node.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("json: every node knows its line, numbers before a line break too", "[scenarios]") {
  const auto root =
      parse_json("{\n\"a\": 1\n,\n\"b\": [\n2\n,\n3.5\n],\n\"c\": {\"d\":\n\"text\"\n}, \"e\": null\n}", "f");
  REQUIRE(root.has_value());
  CHECK(root->line == 1);
  CHECK(root->find("a")->line == 2);
  CHECK(root->find("a")->number == 1);
  REQUIRE(root->find("b")->items.size() == 2);
  CHECK(root->find("b")->items[0].line == 5);
  CHECK(root->find("b")->items[1].line == 7);
  CHECK(root->find("c")->find("d")->line == 10);
  CHECK(root->find("c")->find("d")->text == "text");
  CHECK(root->find("e")->line == 11);
  CHECK(root->find("f") == nullptr);
}

TEST_CASE("json: a mistake is named with its line", "[scenarios]") {
  CHECK(parse_json("{\n\"a\": tru\n}", "f").error().what.substr(0, 24) == "f:3: this is not JSON, a");
  CHECK(parse_json("{\"a\": 1,\n \"a\": 2}", "f").error().what == "f:2: a is given twice in one object");
  CHECK(parse_json("{\"a\": {\"b\": 1}, \"b\": 2}", "f").has_value());
  CHECK_FALSE(parse_json("", "f").has_value());
  CHECK_FALSE(parse_json("{} {}", "f").has_value());
  CHECK_FALSE(parse_json("\"\xff\"", "f").has_value());
  CHECK_FALSE(parse_json("1e999", "f").has_value());
  CHECK_FALSE(parse_json(std::string(100000, '['), "f").has_value());
}

TEST_CASE("json: the error for a missing file names it", "[scenarios]") {
  CHECK(load_json("/nonexistent/x.json").error().what == "open /nonexistent/x.json: No such file or directory");
}

#include "view/answers/page_request.hpp"

#include <fmt/format.h>

#include "tests/support/catch.hpp"

using namespace dpm;
using namespace dpm::view;

TEST_CASE("page requests: a message has an id, a name, and parameters beside them", "[answers]") {
  const auto read = read_socket_request(R"({"id": 7, "request": "traffic", "from_s": 0, "of": ["a", {"b": null}]})");
  REQUIRE(read);
  CHECK(read->id == 7);
  CHECK(read->request.name == "traffic");
  CHECK(read->request.params == Json{{"from_s", 0}, {"of", {"a", {{"b", nullptr}}}}});
}

TEST_CASE("page requests: what is not a request is refused with a sentence", "[answers]") {
  const auto text =
      GENERATE(as<std::string>{}, "", "7", "[]", "null", "{", R"({"request":"a"})", R"({"id":1})",
               R"({"id":"1","request":"a"})", R"({"id":-1,"request":"a"})", R"({"id":1.5,"request":"a"})",
               R"({"id":9007199254740993,"request":"a"})", R"({"id":1e999,"request":"a"})", R"({"id":1,"request":5})",
               R"({"id":1,"request":""})", R"({"id":1,"request":"A"})", R"({"id":1,"request":"../a"})",
               R"({"id":1,"request":"a"}x)", "{\"id\":1,\"request\":\"a\",\"n\":\"\xff\"}");
  CAPTURE(text);
  const auto read = read_socket_request(text);
  REQUIRE_FALSE(read);
  CHECK_FALSE(read.error().what.empty());
}

TEST_CASE("page requests: nesting is bounded, and brackets in strings are not nesting", "[answers]") {
  const auto nested = [](int depth) {
    return fmt::format(R"({{"id":1,"request":"a","v":{}{}}})", std::string(depth, '['), std::string(depth, ']'));
  };
  CHECK(read_socket_request(nested(31)));
  CHECK_FALSE(read_socket_request(nested(32)));
  CHECK_FALSE(read_socket_request(std::string(60'000, '[')));
  CHECK(read_socket_request(fmt::format(R"({{"id":1,"request":"a","v":"\"{}"}})", std::string(100, '['))));
  CHECK(read_query("a", "v=" + std::string(40, '['))->params["v"] == std::string(40, '['));
}

TEST_CASE("page requests: a name has at most 64 characters", "[answers]") {
  CHECK(read_query(std::string(64, 'a'), ""));
  CHECK_FALSE(read_query(std::string(65, 'a'), ""));
}

TEST_CASE("page requests: values of a query are JSON if they can be, else strings", "[answers]") {
  const auto params = [](const char* query) { return read_query("a", query).value().params; };
  CHECK(params("") == Json::object());
  CHECK(params("from_s=0&to_s=12.5") == Json{{"from_s", 0}, {"to_s", 12.5}});
  CHECK(params("threads=true&x=null") == Json{{"threads", true}, {"x", nullptr}});
  CHECK(params("name=web+server%21") == Json{{"name", "web server!"}});
  CHECK(params("name=%225%22&other=5") == Json{{"name", "5"}, {"other", 5}});
  CHECK(params("machine_of=%7B%22a%22%3A%22red%22%7D") == Json{{"machine_of", {{"a", "red"}}}});
  CHECK(params("flag") == Json{{"flag", ""}});
  CHECK(params("a=b=c&") == Json{{"a", "b=c"}});
  CHECK(params("a=%C3%A9") == Json{{"a", "é"}});
}

TEST_CASE("page requests: queries that cannot be read are refused", "[answers]") {
  const auto query = GENERATE(as<std::string>{}, "=1", "a=%", "a=%4", "a=%4g", "%zz=1", "a=1&a=2", "a=%ff", "id=3",
                              "request=x", "&a=1");
  CAPTURE(query);
  CHECK_FALSE(read_query("a", query));
}

TEST_CASE("page requests: percent signs are decoded once", "[answers]") {
  CHECK(percent_decoded("%252e%41%00%c3%A9").value() == std::string("%2eA\0\xc3\xa9", 7));
  CHECK(percent_decoded("").value().empty());
}

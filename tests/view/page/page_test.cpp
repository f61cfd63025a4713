#include "view/page/page.hpp"

#include <string>

#include "tests/support/catch.hpp"

using namespace dpm::view;

TEST_CASE("page: it is one file that loads nothing from elsewhere", "[page]") {
  const std::string page(page_html());
  REQUIRE(page.starts_with("<!DOCTYPE html>"));
  CHECK(page.ends_with("</html>\n"));
  for (const char* outside : {"src=\"", "src='", "@import", "url(http", "href=\"http"}) {
    INFO(outside);
    CHECK(page.find(outside) == std::string::npos);
  }
  CHECK(page.find("/*script*/") == std::string::npos);
  CHECK(page.find("/*style*/") == std::string::npos);
}

TEST_CASE("page: it is small even before it is compressed", "[page]") { CHECK(page_html().size() <= 350'000); }

TEST_CASE("page: data cannot end its element or begin a comment", "[page]") {
  const std::string json = R"({"name":"</script><script>alert(1)</script><!--<script>","n":1})";
  const std::string page = page_with_data(json);
  const std::string begin = R"(<script type="application/json" id="data">)";
  const auto from = page.find(begin) + begin.size();
  const std::string inside = page.substr(from, page.find("</script>", from) - from);
  CHECK(inside == R"({"name":"\u003c/script>\u003cscript>alert(1)\u003c/script>\u003c!--\u003cscript>","n":1})");
  CHECK(page.size() == page_html().size() + inside.size() - 4);  // instead of "null"
}

TEST_CASE("page: data may be empty, and may end with the letter that is escaped", "[page]") {
  CHECK(page_with_data("").size() == page_html().size() - 4);
  CHECK(page_with_data("\"<").find("\"\\u003c</script>") != std::string::npos);
}

#include "formats/export/names.hpp"

#include <set>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

TEST_CASE("names: what is not text becomes text", "[export]") {
  CHECK(clean_text("plain") == "plain");
  CHECK(clean_text("a\nb\x1b\x7f") == "a b  ");
  CHECK(clean_text("\xff\xc3\xbc") == "\xef\xbf\xbd\xc3\xbc");
  CHECK(clean_text("\xe2\x82") == "\xef\xbf\xbd\xef\xbf\xbd");
  CHECK(clean_text("x\xc2\x9bz") == "x z");
  CHECK(json_text("a\"\\\n") == R"("a\"\\ ")");
}

TEST_CASE("names: every process has a label of its own", "[export]") {
  TraceInfo info;
  for (const char* name : {"a", "b", "a", "a#2", ""}) {
    info.processes.emplace_back();
    info.processes.back().name = name;
  }
  const auto labels = process_labels(info);
  CHECK(std::set<std::string>(labels.begin(), labels.end()).size() == 5);
  CHECK(labels[1] == "b");
  CHECK(labels[0] == "a#0");
  CHECK(labels[4] == "#4");
}

}  // namespace
}  // namespace dpm

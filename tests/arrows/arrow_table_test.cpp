#include "tests/arrows/arrow_table.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>

#include "tests/support/catch.hpp"

using namespace dpm;

TEST_CASE("arrows: the table in docs/architecture.md follows from the USES lines", "[arrows]") {
  const auto path = source_root() / "docs/architecture.md";
  std::ifstream in(path);
  const std::string document{std::istreambuf_iterator<char>(in), {}};
  const std::string wanted = with_arrow_table(document, read_components(read_source_tree(source_root())));
  if (std::getenv("DPM_BLESS") != nullptr && wanted != document) std::ofstream(path) << wanted;
  INFO("DPM_BLESS=1 on this test writes the rows; a row with a ? lacks its description");
  CHECK(document == wanted);
  CHECK(wanted.find("| ? |") == std::string::npos);
}

TEST_CASE("arrows: a row keeps its description and gets its arrows from the components", "[arrows]") {
  const std::vector<Component> components = {{"trace", "dpm_trace", {"dpm_model"}, "trace/CMakeLists.txt"},
                                             {"model", "dpm_model", {}, "model/CMakeLists.txt"},
                                             {"tests/support", "dpm_test_support", {}, "tests/support/CMakeLists.txt"}};
  const std::string document =
      "before\n<!-- arrows -->\n| `trace` | the trace | nothing |\n| `gone` | was here | `model` |\n<!-- /arrows "
      "-->\nafter\n";
  CHECK(with_arrow_table(document, components) ==
        "before\n<!-- arrows -->\n| folder | what it is | may use |\n|---|---|---|\n| `model` | ? | nothing |\n"
        "| `trace` | the trace | `model`; home of nlohmann_json |\n<!-- /arrows -->\nafter\n");
}

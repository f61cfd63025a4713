#include "tests/arrows/arrow_table.hpp"

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// The lines of `text` that `from` does not have.
std::vector<std::string> lines_missing(const std::string& text, const std::string& from) {
  std::vector<std::string> missing;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (from.find(line + "\n") == std::string::npos) missing.push_back(line);
  }
  return missing;
}

}  // namespace

TEST_CASE("arrows: the table in tests/arrows/arrows.md follows from the USES lines", "[arrows]") {
  const auto path = source_root() / "tests/arrows/arrows.md";
  std::ifstream in(path);
  std::string document{std::istreambuf_iterator<char>(in), {}};
  const std::string wanted = with_arrow_table(document, read_source_tree(source_root()));
  if (std::getenv("DPM_BLESS") != nullptr && wanted != document) {
    std::ofstream(path) << wanted;
    document = wanted;
  }
  INFO(
      "DPM_BLESS=1 on this test writes the rows; where one has a ?, a README's first line is to say \"# folder: what "
      "it is\"");
  CHECK(lines_missing(wanted, document).empty());
  CHECK(lines_missing(document, wanted).empty());
  CHECK(wanted.find("| ? |") == std::string::npos);
}

TEST_CASE("arrows: a row has a README's description of the folder, and what it may use", "[arrows]") {
  const PlantedTree tree({{"model/CMakeLists.txt", "dpm_component(model)"},
                          {"trace/CMakeLists.txt", "dpm_component(trace USES dpm_model)"},
                          {"trace/README.md", "# trace: files of events\n"},
                          {"cli/README.md", "# cli\n- `input/`: what is read\n  and how. More.\n- `run/`: runs\n"},
                          {"cli/input/CMakeLists.txt", "dpm_component(cli_input USES dpm_trace)"},
                          {"cli/commands/list/CMakeLists.txt", "dpm_component(command_list)"},
                          {"tests/support/CMakeLists.txt", "dpm_component(test_support)"}});
  const auto files = read_source_tree(tree.root());
  CHECK(with_arrow_table("before\n<!-- arrows -->\nold\n<!-- /arrows -->\nafter\n", files) ==
        "before\n<!-- arrows -->\n| folder | what it is | may use |\n|---|---|---|\n"
        "| `cli/input` | what is read and how | `trace` |\n| `model` | ? | nothing |\n"
        "| `trace` | files of events | `model`; home of nlohmann_json; home of zstd |\n<!-- /arrows -->\nafter\n");
}

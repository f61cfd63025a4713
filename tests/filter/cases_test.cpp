// Descriptions and rules that must not load: cases/NAME.desc or NAME.rules, and in NAME.expect the message, word for
// word. Rules are compiled for Events, or for the description file that a first line "// layouts: FILE" names.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "filter/descriptions.hpp"
#include "filter/rules.hpp"
#include "tests/filter/source_files.hpp"
#include "tests/support/catch.hpp"
#include "trace/event_fields.hpp"

using namespace dpm;
using namespace dpm::test;

namespace {

std::vector<std::string> cases(const std::string& extension) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(source_path("tests/filter/cases")))
    if (entry.path().extension() == extension) found.push_back(entry.path());
  std::sort(found.begin(), found.end());
  return found;
}

// With DPM_BLESS set, the actual message becomes the expected one.
std::string expectation(const std::string& path, const std::string& said) {
  if (std::getenv("DPM_BLESS") != nullptr)
    std::ofstream(std::filesystem::path(path).replace_extension(".expect")) << said << "\n";
  std::string text = file_text(std::filesystem::path(path).replace_extension(".expect"));
  while (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

std::string error_of_rules(const std::string& name, const std::string& text) {
  constexpr std::string_view kLayouts = "// layouts: ";
  if (text.compare(0, kLayouts.size(), kLayouts) != 0) {
    const auto rules = RuleSet::compile(name, text, event_layouts());
    return rules ? "loads" : rules.error().what;
  }
  const auto file = text.substr(kLayouts.size(), text.find('\n') - kLayouts.size());
  const auto descriptions = parse_descriptions(file, file_text(source_path("filter/descriptions/" + file))).value();
  const auto rules = RuleSet::compile(name, text, descriptions.records);
  return rules ? "loads" : rules.error().what;
}

}  // namespace

TEST_CASE("descriptions: what cannot be parsed is refused with line and reason", "[filter]") {
  const auto paths = cases(".desc");
  REQUIRE(paths.size() > 10);
  for (const auto& path : paths) {
    const std::string name = std::filesystem::path(path).filename();
    const auto descriptions = parse_descriptions(name, file_text(path));
    const std::string said = descriptions ? "loads" : descriptions.error().what;
    INFO(path);
    CHECK(said == expectation(path, said));
  }
}

TEST_CASE("rules: what cannot be parsed is refused with line, reason and the nearest name", "[filter]") {
  const auto paths = cases(".rules");
  REQUIRE(paths.size() > 10);
  for (const auto& path : paths) {
    const std::string name = std::filesystem::path(path).filename();
    const std::string said = error_of_rules(name, file_text(path));
    INFO(path);
    CHECK(said == expectation(path, said));
  }
}

// cases/NAME.json must be refused with exactly what NAME.expect says. DPM_BLESS=1 writes the .expect files again.
#include <algorithm>
#include <vector>

#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

std::vector<std::filesystem::path> case_files() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() / "tests/scenarios/cases"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

TEST_CASE("scenario cases: every mistake is named with its line and what to try", "[scenarios]") {
  const auto files = case_files();
  REQUIRE(files.size() > 30);
  for (const auto& file : files) {
    const auto result = parse_scenario(test::read_text(file), file.filename(), shipped_programs());
    const std::string obtained = result ? "accepted\n" : result.error().what + "\n";
    auto expect_file = file;
    expect_file.replace_extension(".expect");
    if (std::getenv("DPM_BLESS") != nullptr) std::ofstream(expect_file) << obtained;
    INFO("case " << file.string() << "; to accept: DPM_BLESS=1 build/release/tests/scenarios/test_scenarios");
    CHECK(obtained == test::read_text(expect_file));
    CHECK_FALSE(result.has_value());
  }
}

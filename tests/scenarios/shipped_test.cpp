// Every scenario we ship, and the one in the tutorial, loads and can be run in each of its placements.
#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// The first ```json block of a document.
std::string first_json_block(const std::string& document) {
  const std::string fence = "```json\n";
  const std::size_t begin = document.find(fence);
  if (begin == std::string::npos) return "";
  const std::size_t end = document.find("\n```", begin);
  return document.substr(begin + fence.size(), end - begin - fence.size());
}

}  // namespace

TEST_CASE("shipped scenarios: all load, have a README, and stand somewhere in every placement", "[scenarios]") {
  const auto registry = shipped_programs();
  int loaded = 0;
  for (const auto& folder : std::filesystem::directory_iterator(test::source_folder() / "scenarios")) {
    if (!std::filesystem::exists(folder.path() / "scenario.json")) continue;
    ++loaded;
    INFO(folder.path().string());
    const auto file = load_scenario(folder.path(), registry);
    INFO((file ? "" : file.error().what));
    REQUIRE(file.has_value());
    CHECK(file->name == folder.path().filename());
    CHECK(std::filesystem::exists(folder.path() / "README.md"));
    for (const auto& placement : file->placement_names) {
      Overrides overrides;
      overrides.placement = placement;
      const auto scenario = instantiate(*file, overrides);
      REQUIRE(scenario.has_value());
      CHECK(scenario->placement == placement);
      for (const auto& process : scenario->processes) {
        CHECK(process.program != nullptr);
        CHECK_FALSE(process.machine.empty());
      }
    }
  }
  CHECK(loaded >= 3);
}

TEST_CASE("docs/scenarios.md: the tutorial's scenario loads as it is printed", "[scenarios]") {
  const std::string text = first_json_block(test::read_text(test::source_folder() / "docs/scenarios.md"));
  REQUIRE_FALSE(text.empty());
  const auto file = test::parse(text);
  INFO((file ? "" : file.error().what));
  REQUIRE(file.has_value());
  const auto scenario = instantiate(*file);
  REQUIRE(scenario.has_value());
  CHECK(scenario->processes.size() == 3);
  CHECK(test::process_of(*scenario, "server").service);
}

TEST_CASE("delay files: the shipped copy of figure 5.11 is the model of that name", "[scenarios]") {
  const auto model = load_delay_model(test::source_folder() / "scenarios/delays/demos-vax.json");
  REQUIRE(model.has_value());
  const DelayModel expected = DelayModel::demos_vax();
  CHECK(model->name == expected.name);
  CHECK(model->local.delivery_s.points() == expected.local.delivery_s.points());
  CHECK(model->remote.delivery_s.points() == expected.remote.delivery_s.points());
}

#include "cli/placement_file.hpp"

#include <fstream>

#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

namespace dpm::cli {
namespace {

Result<PlacementFile> load(const std::string& text) {
  const PlantedTree folder({{"p.json", text}});
  return load_placement((folder.root() / "p.json").string());
}

TEST_CASE("placement file: processes, new machines and a name are read", "[cli]") {
  const auto file = load(R"({"name": "fast", "machines": [{"name": "cray", "speed": 10}, {"name": "pc"}],
                             "processes": {"office": "cray", "archive": "pc"}})");
  REQUIRE(file);
  CHECK(file->placement.name == "fast");
  CHECK(file->placement.machine_of_process.at("office") == "cray");
  CHECK(file->placement.machine_of_process.at("archive") == "pc");
  REQUIRE(file->machines.size() == 2);
  CHECK(file->machines[0].speed == 10);
  CHECK(file->machines[1].speed == 1);
}

TEST_CASE("placement file: without a name it is called as its file", "[cli]") {
  const auto file = load(R"({"processes": {}})");
  REQUIRE(file);
  CHECK_THAT(file->placement.name, Catch::EndsWith("p.json"));
}

TEST_CASE("placement file: mistakes in JSON are named with their line", "[cli]") {
  const auto file = load("{\"processes\":\n {\"a\": \"red\",\n }}");
  REQUIRE_FALSE(file);
  CHECK_THAT(file.error().what, Catch::Contains("p.json:3: not JSON; expected {\"processes\""));
}

TEST_CASE("placement file: anything that is no placement is refused, never thrown", "[cli]") {
  for (const auto* text :
       {"", " ", "3", "null", "[]", "{}", "{\"processes\": 1}", "{\"processes\": {\"a\": null}}", "\xff\xfe",
        "{\"processes\": {}, \"machines\": {}}", "{\"processes\": {}, \"machines\": [[]]}",
        "{\"processes\": {}, \"machines\": [{\"name\": 3}]}", "{\"processes\": {}, \"name\": 3}",
        "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"speed\": -1}]}",
        "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"speed\": \"1\"}]}",
        "{\"processes\": {}, \"machines\": [{\"name\": \"x\", \"speed\": 1e999}]}"}) {
    INFO(text);
    const auto file = load(text);
    REQUIRE_FALSE(file);
    CHECK_THAT(file.error().what, Catch::Contains("p.json"));
  }
}

}  // namespace
}  // namespace dpm::cli

// scenario.schema.json is for editors and other tools; the loader is what decides. The two must not come apart.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "scenarios/loader/key_tables.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using nlohmann::json;

namespace {

json schema() { return json::parse(test::read_text(test::source_folder() / "scenarios/scenario.schema.json")); }

std::set<std::string> keys_of(const json& object) {
  std::set<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.insert(key);
  return keys;
}

// Every "$ref" in the schema.
void collect_references(const json& node, std::set<std::string>& references) {
  if (node.is_object() && node.contains("$ref")) references.insert(node["$ref"].get<std::string>());
  if (node.is_structured())
    for (const auto& child : node) collect_references(child, references);
}

}  // namespace

TEST_CASE("schema: has exactly the keys the loader accepts, object by object", "[scenarios]") {
  const json definitions = schema()["definitions"];
  std::set<std::string> tables;
  for (const KeyTable* table : key_tables().all()) {
    INFO(table->name);
    tables.insert(table->name);
    REQUIRE(definitions.contains(table->name));
    const json& definition = definitions[table->name];
    CHECK(keys_of(definition["properties"]) == std::set<std::string>(table->keys.begin(), table->keys.end()));
    CHECK(definition["additionalProperties"] == false);
  }
  for (const auto& [name, definition] : definitions.items())
    if (definition.contains("properties")) CHECK(tables.count(name) == 1);
}

TEST_CASE("schema: every definition and every key says what it means", "[scenarios]") {
  const json definitions = schema()["definitions"];
  for (const auto& [name, definition] : definitions.items()) {
    INFO(name);
    CHECK(definition.contains("description"));
    if (!definition.contains("properties")) continue;
    for (const auto& [key, property] : definition["properties"].items()) {
      INFO(key);
      const bool only_true = property == json{{"enum", {true}}};
      CHECK((property.contains("description") || only_true));
    }
  }
}

TEST_CASE("schema: every reference leads to a definition", "[scenarios]") {
  const json document = schema();
  std::set<std::string> references;
  collect_references(document, references);
  REQUIRE(references.size() > 20);
  for (const auto& reference : references) {
    INFO(reference);
    CHECK(document.contains(json::json_pointer(reference.substr(1))));
  }
}

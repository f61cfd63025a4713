// scenario.schema.json is for editors and other tools; the loader is what decides. The two must not come apart.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "scenarios/document/json_layout.hpp"
#include "scenarios/loader/key_tables.hpp"
#include "tests/scenarios/step_schema.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

#if __has_include(<valijson/validator.hpp>)
#define DPM_HAVE_VALIJSON 1
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validator.hpp>
#endif

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

// Both lists of analyses in the schema, as they stand in the file.
const std::regex kAnalysisLists(R"re(\n( *)"enum": \[\s*"statistics"[^\]]*\])re");

std::string list_of_analyses(const std::string& indent) {
  std::string list;
  for (const auto& name : analysis_names()) list += (list.empty() ? "\n" : ",\n") + indent + "  \"" + name + '"';
  return "\n" + indent + "\"enum\": [" + list + "\n" + indent + "]";
}

TEST_CASE("schema: lists the analyses that register themselves", "[scenarios]") {
  const auto path = test::source_folder() / "scenarios/scenario.schema.json";
  const std::string text = test::read_text(path);
  std::string wanted, rest = text;
  std::size_t lists = 0;
  for (std::smatch list; std::regex_search(rest, list, kAnalysisLists); ++lists) {
    wanted += list.prefix().str() + list_of_analyses(list[1]);
    rest = list.suffix();
  }
  wanted += rest;
  REQUIRE(lists == 2);
  if (std::getenv("DPM_BLESS") != nullptr) {
    std::ofstream(path) << wanted;
    return;
  }
  INFO("DPM_BLESS=1 on this test writes the lists");
  CHECK(text == wanted);
}

TEST_CASE("schema: its definitions of steps follow from the steps", "[scenarios]") {
  const auto path = test::source_folder() / "scenarios/scenario.schema.json";
  const std::string text = test::read_text(path);
  const auto begin = text.find("    \"handler\": {"), end = text.find("    \"process\": {");
  REQUIRE((begin != std::string::npos && end != std::string::npos));
  const nlohmann::ordered_json of_steps = step_definitions();
  std::string definitions;
  for (const auto& [name, definition] : of_steps.items())
    definitions += "    \"" + name + "\": " + laid_out(definition, 4) + ",\n";
  const std::string wanted = text.substr(0, begin) + definitions + text.substr(end);
  if (std::getenv("DPM_BLESS") != nullptr) {
    std::ofstream(path) << wanted;
    return;
  }
  INFO("DPM_BLESS=1 on this test writes the definitions");
  CHECK(text == wanted);
}

TEST_CASE("schema: the table of steps in docs/scenarios.md follows from the steps", "[scenarios]") {
  const auto path = test::source_folder() / "docs/scenarios.md";
  const std::string text = test::read_text(path), first = "| step | does |\n|---|---|\n", last = "<!-- /steps -->";
  const auto begin = text.find(first), end = text.find(last);
  REQUIRE((begin != std::string::npos && end != std::string::npos));
  const std::string wanted = text.substr(0, begin) + first + step_rows() + text.substr(end);
  if (std::getenv("DPM_BLESS") != nullptr) {
    std::ofstream(path) << wanted;
    return;
  }
  INFO("DPM_BLESS=1 on this test writes the table");
  CHECK(text == wanted);
}

TEST_CASE("schema: every definition and every key says what it means", "[scenarios]") {
  const json definitions = schema()["definitions"];
  for (const auto& [name, definition] : definitions.items()) {
    INFO(name);
    CHECK(definition.contains("description"));
    if (!definition.contains("properties")) continue;
    for (const auto& [key, property] : definition["properties"].items()) {
      INFO(key);
      CHECK(property.contains("description"));
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

#ifdef DPM_HAVE_VALIJSON

namespace {

class Validator {
 public:
  Validator() {
    const json document = schema();
    valijson::adapters::NlohmannJsonAdapter adapter(document);
    valijson::SchemaParser().populateSchema(adapter, schema_);
  }

  bool accepts(const json& document) const {
    valijson::adapters::NlohmannJsonAdapter adapter(document);
    return valijson::Validator().validate(schema_, adapter, nullptr);
  }

 private:
  valijson::Schema schema_;
};

}  // namespace

TEST_CASE("schema: another validator accepts every shipped scenario by it", "[scenarios]") {
  const Validator validator;
  for (const auto& folder : std::filesystem::directory_iterator(test::source_folder() / "scenarios")) {
    const auto file = folder.path() / "scenario.json";
    if (!std::filesystem::exists(file)) continue;
    INFO(file.string());
    CHECK(validator.accepts(json::parse(test::read_text(file))));
  }
}

TEST_CASE("schema: another validator refuses mistakes of form by it", "[scenarios]") {
  const Validator validator;
  for (const char* name :
       {"wrong_key", "wrong_key_in_step", "wrong_verb", "two_verbs", "wrong_type", "wrong_type_of_name",
        "wrong_type_of_flag", "process_without_program", "negative_time", "a_list", "bad_published", "unknown_fault",
        "unknown_analysis", "no_machines", "program_without_steps"}) {
    INFO(name);
    const auto file = test::source_folder() / "tests/scenarios/cases" / (std::string(name) + ".json");
    CHECK_FALSE(validator.accepts(json::parse(test::read_text(file))));
  }
}

#endif

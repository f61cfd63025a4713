// Every step is read, and written as it was read.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "scenarios/behaviour/program_reader.hpp"
#include "scenarios/behaviour/step_tables.hpp"
#include "scenarios/behaviour/step_walk.hpp"
#include "scenarios/behaviour/step_writer.hpp"
#include "tests/scenarios/support.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using Json = nlohmann::ordered_json;

namespace {

InFileProgram program_of(const std::string& text) {
  const auto document = parse_json(text, "test.json");
  REQUIRE(document.has_value());
  Problems problems("test.json");
  const Environment names;
  const Reading reading{problems, names};
  NameGroups processes("process");
  for (const auto* name : {"a", "b"}) processes.add(reading, *document, name, std::nullopt);
  processes.add(reading, *document, "g", 3);
  Kinds kinds;
  kinds.read(nullptr, &*document, reading);
  InFileProgram program = read_program(*document, reading, kinds, processes);
  if (!problems.empty()) throw std::runtime_error(problems.error().what);
  return program;
}

// steps/NAME.json: examples of the step, together with every key it can have.
std::string examples_of(const StepEntry& entry) {
  return test::read_text(test::source_folder() / "tests/scenarios/steps" / (std::string(entry.words.name) + ".json"));
}

// A process that counts in "n" does `steps` on every message.
InFileProgram handling(const std::string& steps) {
  return program_of(R"({"variables": {"n": 0}, "subscriptions": ["news"], "on": [{"kind": "any", "do": )" + steps +
                    "}]}");
}

const Steps& steps_of(const InFileProgram& program) { return program.behaviour->handlers.at(0).steps; }

}  // namespace

TEST_CASE("steps: each is written as it was read", "[scenarios]") {
  for (const StepEntry& entry : step_entries()) {
    INFO(entry.table.name << ": tests/scenarios/steps has examples, as JSON lists");
    const std::string examples = examples_of(entry);
    REQUIRE_FALSE(examples.empty());
    CHECK(written(steps_of(handling(examples))).dump(1) == Json::parse(examples).dump(1));
  }
}

TEST_CASE("steps: the examples have every key of every step", "[scenarios]") {
  for (const StepEntry& entry : step_entries()) {
    const Json examples = Json::parse(examples_of(entry));
    for (const auto& key : entry.table.keys) {
      if (key == kProbability.key) continue;
      INFO(entry.table.name << ": " << key);
      CHECK(std::any_of(examples.begin(), examples.end(), [&](const Json& step) { return step.contains(key); }));
    }
  }
}

TEST_CASE("steps: a walk meets each of them once, and the messages they send and take", "[scenarios]") {
  InFileProgram program = handling(R"([{"wait": "x"}, {"repeat": 2, "do": [{"send": "y", "to": "a", "bytes": 1}]},
      {"choose": [{"do": [{"stop": true}]}, {"do": [{"forward": "z", "to": "b"}]}]},
      {"dispatch": "t", "to": "g", "bytes": 1, "tasks": 1, "answer": "u", "rest": [{"reply": "v", "bytes": 1}]}])");
  std::size_t steps = 0;
  std::string messages;
  each_step(program.behaviour->handlers.at(0).steps, [&](Step&) { ++steps; });
  each_message(
      program.behaviour->handlers.at(0).steps,
      {.sends = [&](const KindName& kind, const Whom& to) { messages += kind.name + ">" + to.name + " "; },
       .takes = [&](const KindName& kind, const Whom& from) { messages += kind.name + "<" + from.name + " "; }});
  CHECK(steps == 8);
  CHECK(messages == "x< y>a z>b t>g u<g ");
  CHECK(program.sent.size() == 3);
  CHECK(program.handled.size() == 3);  // one is the handler itself
}

TEST_CASE("steps: a handler is written as it was read", "[scenarios]") {
  const std::string text = R"({"kind":"ask","from":"g","do":[{"compute_s":0.5}]})";
  const InFileProgram program = program_of(R"({"on": [)" + text + "]}");
  CHECK(written(program.behaviour->handlers.at(0)).dump() == text);
}

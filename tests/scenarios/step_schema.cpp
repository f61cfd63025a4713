#include "tests/scenarios/step_schema.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "scenarios/behaviour/step_tables.hpp"

namespace dpm {
namespace {

using Json = nlohmann::ordered_json;

Json reference(const std::string& definition) { return {{"$ref", "#/definitions/" + definition}}; }
Json text() { return {{"type", "string"}, {"minLength", 1}}; }
Json list_of(Json item) { return {{"type", "array"}, {"items", std::move(item)}, {"minItems", 1}}; }
Json one_of(std::vector<Json> forms) { return {{"oneOf", std::move(forms)}}; }
Json like(const std::string& definition) { return {{"allOf", Json::array({reference(definition)})}}; }

// The definition of an object, field by field.
class SchemaFields : public StepFields {
 public:
  void time(const Field& field, Quantity&) override { add_needed(field, like("cpu_time")); }
  void time_to_wait(const Field& field, Quantity&) override { add_needed(field, like("cpu_time")); }
  void optional_time(const Field& field, std::optional<Quantity>&, Range) override { add(field, like("cpu_time")); }
  void bytes(const Field& field, Quantity&) override { add_needed(field, like("size")); }
  void bytes_or_same(const Field& field, Quantity&, bool&) override { add(field, like("size")); }
  void kind(const Field& field, KindName&) override { add_needed(field, text()); }
  void awaited_kinds(const Field& field, KindNames&) override { add_needed(field, one_of({text(), list_of(text())})); }
  void tested_kinds(const Field& field, KindNames&) override { add_needed(field, one_of({text(), list_of(text())})); }
  void answer_kind(const Field& field, KindName&) override { add_needed(field, text()); }
  void receiver(const Field& field, Whom&) override { add_needed(field, text()); }
  void members(const Field& field, Whom&) override { add_needed(field, text()); }
  void senders(const Field& field, Whom&) override { add(field, text()); }
  void pick(const Field& field, Pick&) override { add(field, {{"enum", pick_names()}}); }
  void key(const Field& field, std::optional<Quantity>&) override { add(field, like("size")); }
  void whole(const Field& field, Value&, const WholeForm& form) override {
    form.otherwise ? add(field, like("whole")) : add_needed(field, like("whole"));
  }
  void number(const Field& field, Quantity&, double) override { add(field, like("value")); }
  void optional_value(const Field& field, std::optional<Value>&) override { add(field, like("number")); }
  void name_or_value(const Field& field, Value&) override { add_needed(field, text()); }
  void carried(const Field& field, std::vector<Carried>&) override {
    add(field, {{"type", "object"}, {"additionalProperties", reference("value")}});
  }
  void weight(const Field& field, double&) override { add(field, like("number")); }
  void flag(const Field& field, bool&) override { add(field, {{"type", "boolean"}}); }
  void always_true(const Field& field) override { add_needed(field, {{"enum", {true}}}); }
  void wholes(const Field& field, std::vector<std::uint64_t>&, Range) override {
    add(field, list_of({{"type", "integer"}, {"minimum", 1}}));
  }
  void variable(const Field& field, Variable&) override { add_needed(field, text()); }
  void subscription(const Field& field, Subscription&) override { add_needed(field, text()); }
  void machine(const Field& field, std::string&) override { add_needed(field, text()); }
  void semaphore(const Field& field, std::string&) override { add_needed(field, text()); }
  void steps(const Field& field, Steps&) override { add_needed(field, like("steps")); }
  void optional_steps(const Field& field, Steps&) override { add(field, like("steps")); }
  void branches(const Field& field, std::vector<ChoiceBranch>&) override {
    add_needed(field, list_of(reference("branch")));
  }
  void tasks(const Field& field, std::vector<Task>&) override {
    add_needed(field, one_of({text(), list_of(reference("task"))}));
  }
  void bytes_of_tasks(const Field& field, std::vector<Task>&) override { add(field, like("size")); }

  Json definition(const std::string& description) const {
    return {{"description", description},
            {"type", "object"},
            {"properties", properties_},
            {"required", required_},
            {"additionalProperties", false}};
  }

  void add(const Field& field, Json form) {
    form["description"] = field.meaning;
    properties_[field.key] = std::move(form);
  }

 private:
  void add_needed(const Field& field, Json form) {
    add(field, std::move(form));
    required_.push_back(field.key);
  }

  Json properties_ = Json::object(), required_ = Json::array();
};

std::string sentence(std::string phrase) {
  phrase.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(phrase.front())));
  return phrase + ".";
}

template <typename Part>
Json definition_of(Part part, const std::string& description) {
  SchemaFields fields;
  fields_of(part, fields);
  return fields.definition(description);
}

}  // namespace

Json step_definitions() {
  Json definitions;
  SchemaFields handler;
  Handler().fields(handler);
  definitions["handler"] = handler.definition("Steps to do on a message.");
  definitions["branch"] = definition_of(ChoiceBranch{}, "One of the branches of choose.");
  definitions["idle"] = definition_of(Idle{}, "What to do when no message has come for the handlers for some time.");
  definitions["queue"] =
      definition_of(QueueLimit{}, "How many messages wait for the handlers, and what happens to others.");
  Json forms = Json::array();
  definitions["steps"] = {{"type", "array"}, {"items", reference("step")}, {"description", "steps, done in order"}};
  for (const StepEntry& entry : step_entries()) {
    SchemaFields fields;
    StepType what = entry.empty;
    std::visit([&](auto& step) { step.fields(fields); }, what);
    fields.add(kProbability, like("number"));
    definitions[entry.table.name] = fields.definition(sentence(entry.words.does));
    forms.push_back(reference(entry.table.name));
  }
  definitions["task"] = definition_of(Task{}, "One of several kinds of tasks that are handed out.");
  definitions["step"] = {{"description", "one thing to do; told by its verb"}, {"oneOf", std::move(forms)}};
  return definitions;
}

std::string step_rows() {
  std::string rows;
  for (const StepEntry& entry : step_entries())
    rows += fmt::format("| `{}` | {} |\n", entry.words.form, entry.words.does);
  return rows;
}

}  // namespace dpm

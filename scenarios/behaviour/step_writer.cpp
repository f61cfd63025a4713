#include "scenarios/behaviour/step_writer.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "scenarios/behaviour/step_tables.hpp"

namespace dpm {
namespace {

using Json = nlohmann::ordered_json;

Json exact(double value) {
  if (value == std::floor(value) && std::abs(value) < kLargestExactNumber) return static_cast<std::int64_t>(value);
  return value;
}

// Nanoseconds: more digits would only look exact.
Json in_seconds(double value) { return std::round(value * 1e9) / 1e9; }
Json in_bytes(double value) { return static_cast<std::uint64_t>(std::llround(value)); }

using WriteNumber = Json (*)(double);

Json list(const std::vector<double>& values, WriteNumber number) {
  Json written = Json::array();
  for (const double value : values) written.push_back(number(value));
  return written;
}

Json value_of(const Value& value, WriteNumber number) {
  return value.written.empty() ? number(value.number) : Json(value.written);
}

Json quantity_of(const Quantity& quantity, WriteNumber number) {
  Json written = Json::object();
  const Json first = value_of(quantity.first, number);
  switch (quantity.kind) {
    case Quantity::Kind::constant:
      return first;
    case Quantity::Kind::uniform:
      return {{"uniform", {first, value_of(quantity.second, number)}}};
    case Quantity::Kind::exponential:
      return {{"exponential", first}};
    case Quantity::Kind::normal:
      return {{"normal", {{"mean", first}, {"sd", value_of(quantity.second, number)}}}};
    case Quantity::Kind::log_normal:
      return {
          {"log_normal", {{quantity.of_mean ? "mean" : "median", first}, {"sigma", value_of(quantity.second, exact)}}}};
    case Quantity::Kind::pareto:
      written["pareto"] = {{"scale", first}, {"shape", value_of(quantity.second, exact)}};
      if (quantity.at_most) written["pareto"]["at_most"] = value_of(*quantity.at_most, number);
      return written;
    case Quantity::Kind::choice:
      written["choice"] = list(quantity.values, number);
      break;
    case Quantity::Kind::measured:
      written["measured"] = list(quantity.values, number);
      break;
  }
  if (!quantity.one_weight) {
    written["weights"] = list(quantity.weights, exact);
  } else if (quantity.weights.front() != 1) {
    written["weights"] = exact(quantity.weights.front());
  }
  return written;
}

class FieldWriter : public StepFields {
 public:
  explicit FieldWriter(Json& object) : object_(object) {}

  void time(const Field& field, Quantity& quantity) override { object_[field.key] = quantity_of(quantity, in_seconds); }
  void time_to_wait(const Field& field, Quantity& quantity) override { time(field, quantity); }
  void optional_time(const Field& field, std::optional<Quantity>& quantity, Range) override {
    if (quantity) time(field, *quantity);
  }
  void bytes(const Field& field, Quantity& quantity) override { object_[field.key] = quantity_of(quantity, in_bytes); }
  void bytes_or_same(const Field& field, Quantity& quantity, bool& same) override {
    if (!same) bytes(field, quantity);
  }
  void kind(const Field& field, KindName& kind) override { object_[field.key] = kind.name; }
  void awaited_kinds(const Field& field, KindNames& kinds) override {
    if (kinds.size() == 1) {
      object_[field.key] = kinds.front().name;
      return;
    }
    object_[field.key] = Json::array();
    for (const KindName& kind : kinds) object_[field.key].push_back(kind.name);
  }
  void tested_kinds(const Field& field, KindNames& kinds) override { awaited_kinds(field, kinds); }
  void answer_kind(const Field& field, KindName& kind) override { object_[field.key] = kind.name; }
  void receiver(const Field& field, Whom& to) override { object_[field.key] = to.name; }
  void members(const Field& field, Whom& group) override { object_[field.key] = group.name; }
  void machine(const Field& field, std::string& machine) override { object_[field.key] = machine; }
  void semaphore(const Field& field, std::string& semaphore) override { object_[field.key] = semaphore; }
  void senders(const Field& field, Whom& from) override {
    if (!from.name.empty()) object_[field.key] = from.name;
  }
  void pick(const Field& field, Pick& pick) override {
    if (pick != Pick::random) object_[field.key] = pick_names()[static_cast<std::size_t>(pick)];
  }
  void key(const Field& field, std::optional<Quantity>& key) override {
    if (key) object_[field.key] = quantity_of(*key, exact);
  }
  void whole(const Field& field, Value& whole, const WholeForm& form) override {
    if (!whole.written.empty() || form.otherwise != whole.count() || form.written_anyway)
      object_[field.key] = value_of(whole, exact);
  }
  void number(const Field& field, Quantity& quantity, double otherwise) override {
    if (!quantity.is_known() || !quantity.first.written.empty() || otherwise != quantity.first.number)
      object_[field.key] = quantity_of(quantity, exact);
  }
  void optional_value(const Field& field, std::optional<Value>& value) override {
    if (value) object_[field.key] = value_of(*value, exact);
  }
  void name_or_value(const Field& field, Value& value) override { object_[field.key] = value.written; }
  void carried(const Field& field, std::vector<Carried>& carried) override {
    for (const Carried& each : carried) object_[field.key][each.name] = quantity_of(each.value, exact);
  }
  void weight(const Field& field, double& weight) override { object_[field.key] = exact(weight); }
  void flag(const Field& field, bool& flag) override {
    if (flag) object_[field.key] = true;
  }
  void always_true(const Field& field) override { object_[field.key] = true; }
  void wholes(const Field& field, std::vector<std::uint64_t>& list, Range) override {
    if (!list.empty()) object_[field.key] = list;
  }
  void variable(const Field& field, Variable& variable) override { object_[field.key] = variable.name; }
  void subscription(const Field& field, Subscription& list) override { object_[field.key] = list.name; }
  void steps(const Field& field, Steps& steps) override { object_[field.key] = written(steps); }
  void optional_steps(const Field& field, Steps& steps) override {
    if (!steps.empty()) object_[field.key] = written(steps);
  }
  void branches(const Field& field, std::vector<ChoiceBranch>& branches) override {
    object_[field.key] = parts(branches);
  }
  void tasks(const Field& field, std::vector<Task>& tasks) override {
    if (tasks.size() == 1) {
      object_[field.key] = tasks.front().kind.name;
    } else {
      object_[field.key] = parts(tasks);
    }
  }
  void bytes_of_tasks(const Field& field, std::vector<Task>& tasks) override {
    if (tasks.size() == 1) bytes(field, tasks.front().bytes);
  }

 private:
  template <typename Part>
  static Json parts(std::vector<Part>& parts) {
    Json list = Json::array();
    for (Part& part : parts) {
      Json object;
      FieldWriter fields(object);
      fields_of(part, fields);
      list.push_back(std::move(object));
    }
    return list;
  }

  Json& object_;
};

}  // namespace

Json written(const Steps& steps) {
  Json list = Json::array();
  for (Step step : steps) {
    Json object;
    FieldWriter fields(object);
    std::visit([&](auto& what) { what.fields(fields); }, step.what);
    if (step.probability != 1) object[kProbability.key] = step.probability;
    list.push_back(std::move(object));
  }
  return list;
}

Json written(const Handler& handler) {
  Json object;
  FieldWriter fields(object);
  Handler(handler).fields(fields);
  return object;
}

}  // namespace dpm

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

Json quantity_of(const Quantity& quantity, WriteNumber number) {
  Json written = Json::object();
  switch (quantity.kind) {
    case Quantity::Kind::constant:
      return number(quantity.low);
    case Quantity::Kind::uniform:
      return {{"uniform", {number(quantity.low), number(quantity.high)}}};
    case Quantity::Kind::exponential:
      return {{"exponential", number(quantity.low)}};
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
  void optional_time(const Field& field, std::optional<Quantity>& quantity) override {
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
  void senders(const Field& field, Whom& from) override {
    if (!from.name.empty()) object_[field.key] = from.name;
  }
  void pick(const Field& field, Pick& pick) override {
    if (pick != Pick::random) object_[field.key] = pick_names()[static_cast<std::size_t>(pick)];
  }
  void key(const Field& field, std::optional<Quantity>& key) override {
    if (key) object_[field.key] = quantity_of(*key, exact);
  }
  void whole(const Field& field, Whole& whole, const WholeForm& form) override {
    if (!whole.parameter.empty()) {
      object_[field.key] = "$" + whole.parameter;
    } else if (form.otherwise != whole.value || form.written_anyway) {
      object_[field.key] = whole.value;
    }
  }
  void number(const Field& field, Number& number, std::optional<double> otherwise) override {
    if (!number.parameter.empty()) {
      object_[field.key] = "$" + number.parameter;
    } else if (otherwise != number.value) {
      object_[field.key] = exact(number.value);
    }
  }
  void optional_number(const Field& field, std::optional<Number>& value) override {
    if (value) number(field, *value, std::nullopt);
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

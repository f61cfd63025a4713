#include "scenarios/behaviour/quantity_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "scenarios/behaviour/program_tables.hpp"

namespace dpm {

void check_weights(const std::vector<double>& weights, const JsonNode& at, const Reading& reading) {
  if (std::none_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; }))
    reading.problem(at, "at least one weight must be greater than 0");
}

void check_counts(const std::vector<double>& counts, const JsonNode& at, const Reading& reading) {
  if (std::any_of(counts.begin(), counts.end(), [](double count) { return count != std::floor(count) || count > 1e9; }))
    reading.problem(at, "weights say how often each comes up before the next round: whole numbers, at most 10^9");
}

void check_whole(const Quantity& quantity, const JsonNode& at, const std::string& what, const Reading& reading) {
  std::vector<double> values = quantity.values;
  if (quantity.kind == Quantity::Kind::constant) values.push_back(quantity.low);
  for (const double value : values)
    if (value != std::floor(value))
      return reading.problem(at, fmt::format("{} must be a whole number, not {:.15g}", what, value));
}

Quantity read_quantity(const JsonNode& node, const std::string& what, Range range, const Reading& reading) {
  if (!node.is(JsonKind::object)) return Quantity::constant(reading.number(node, what, range));
  Quantity quantity;
  ObjectReader object(node, program_tables().distribution, reading);
  const JsonNode* uniform = object.find("uniform");
  const JsonNode* exponential = object.find("exponential");
  const JsonNode* choice = object.find("choice");
  const JsonNode* measured = object.find("measured");
  const JsonNode* weights = object.find("weights");
  if ((uniform != nullptr) + (exponential != nullptr) + (choice != nullptr) + (measured != nullptr) != 1) {
    reading.problem(node, what + " must be a number or have one of 'uniform', 'exponential', 'choice' and 'measured'");
    return quantity;
  }
  if (weights != nullptr && choice == nullptr && measured == nullptr)
    reading.problem(*weights, "'weights' belongs to 'choice' or 'measured'");
  if (uniform != nullptr) {
    const auto ends = reading.numbers(*uniform, "'uniform'", range);
    if (ends.size() != 2 || ends[0] > ends[1]) {
      reading.problem(*uniform, "'uniform' must be [low, high]");
    } else {
      quantity = {Quantity::Kind::uniform, ends[0], ends[1], {}, {}};
    }
  } else if (exponential != nullptr) {
    quantity = {
        Quantity::Kind::exponential, reading.number(*exponential, "'exponential', the mean,", range), 0, {}, {}};
  } else {
    const JsonNode& list = choice != nullptr ? *choice : *measured;
    const std::string key = choice != nullptr ? "'choice'" : "'measured'";
    quantity.kind = choice != nullptr ? Quantity::Kind::choice : Quantity::Kind::measured;
    quantity.values = reading.numbers(list, key, range);
    if (quantity.values.empty()) reading.problem(list, key + " must have at least one value");
    quantity.weights = std::vector<double>(quantity.values.size(), 1);
    quantity.one_weight = weights == nullptr || !weights->is(JsonKind::list);
    if (weights != nullptr) {
      if (weights->is(JsonKind::list)) {
        quantity.weights = reading.numbers(*weights, "'weights'", {});
      } else {
        quantity.weights.assign(quantity.values.size(), reading.number(*weights, "'weights'", {}));
      }
      if (quantity.weights.size() != quantity.values.size())
        reading.problem(*weights, "'weights' must have as many numbers as " + key);
      check_weights(quantity.weights, *weights, reading);
      if (measured != nullptr) check_counts(quantity.weights, *weights, reading);
    }
  }
  return quantity;
}

}  // namespace dpm

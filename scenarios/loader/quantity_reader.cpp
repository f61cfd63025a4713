#include "scenarios/loader/quantity_reader.hpp"

#include <algorithm>

#include "scenarios/loader/key_tables.hpp"

namespace dpm {

void check_weights(const std::vector<double>& weights, const JsonNode& at, const Reading& reading) {
  if (std::none_of(weights.begin(), weights.end(), [](double weight) { return weight > 0; }))
    reading.problem(at, "at least one weight must be greater than 0");
}

Quantity read_quantity(const JsonNode& node, const std::string& what, Range range, const Reading& reading) {
  if (!node.is(JsonKind::object)) return Quantity::constant(reading.number(node, what, range));
  Quantity quantity;
  ObjectReader object(node, key_tables().distribution, reading);
  const JsonNode* uniform = object.find("uniform");
  const JsonNode* exponential = object.find("exponential");
  const JsonNode* choice = object.find("choice");
  const JsonNode* weights = object.find("weights");
  if ((uniform != nullptr) + (exponential != nullptr) + (choice != nullptr) != 1) {
    reading.problem(node, what + " must be a number or have one of 'uniform', 'exponential' and 'choice'");
    return quantity;
  }
  if (weights != nullptr && choice == nullptr) reading.problem(*weights, "'weights' belongs to 'choice'");
  if (uniform != nullptr) {
    const auto ends = reading.numbers(*uniform, "'uniform'", range);
    if (ends.size() != 2 || ends[0] > ends[1]) {
      reading.problem(*uniform, "'uniform' must be [low, high]");
    } else {
      quantity = {Quantity::Kind::uniform, ends[0], ends[1], {}, {}};
    }
  } else if (exponential != nullptr) {
    quantity = {Quantity::Kind::exponential, reading.number(*exponential, "'exponential', the mean,", range), 0, {}, {}};
  } else {
    quantity.kind = Quantity::Kind::choice;
    quantity.values = reading.numbers(*choice, "'choice'", range);
    if (quantity.values.empty()) reading.problem(*choice, "'choice' must have at least one value");
    quantity.weights = std::vector<double>(quantity.values.size(), 1);
    if (weights != nullptr) {
      quantity.weights = reading.numbers(*weights, "'weights'", {});
      if (quantity.weights.size() != quantity.values.size())
        reading.problem(*weights, "'weights' must have as many numbers as 'choice'");
      check_weights(quantity.weights, *weights, reading);
    }
  }
  return quantity;
}

}  // namespace dpm

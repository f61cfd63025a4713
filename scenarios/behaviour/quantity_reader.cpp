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
  if (quantity.is_known()) values.push_back(quantity.first.number);
  for (const double value : values)
    if (value != std::floor(value))
      return reading.problem(at, fmt::format("{} must be a whole number, not {:.15g}", what, value));
}

Value read_value(const JsonNode& node, const std::string& what, Range range, const Reading& reading,
                 const LaterNames& later) {
  const std::string& text = node.text;
  const bool is_text = node.is(JsonKind::text);
  const bool calculated = is_text && text.size() > 3 && text.starts_with("${") && text.back() == '}';
  const std::string name = is_text && text.starts_with('$') ? text.substr(1) : "";
  const bool is_variable = !name.empty() && reading.names.find(name) == nullptr && later && later(name);
  if (!calculated && !is_variable) return reading.number(node, what, range);
  const auto found = reading.expression(calculated ? text.substr(2, text.size() - 3) : name, node, what, later);
  if (!found) return range.high;
  if (found->is_known()) return reading.number(node, what, range);
  Value value(0, text);
  value.expression = std::make_shared<const Expression>(*found);
  value.range = range;
  return value;
}

namespace {

constexpr Range kSigma{0, 100};
constexpr Range kShape{0, 1000, true};

// The kinds of draws that are written as objects or lists of values, by their key.
class DrawReader {
 public:
  DrawReader(Range range, const Reading& reading, const LaterNames& later)
      : range_(range), reading_(reading), later_(later) {}

  void uniform(const JsonNode& node, Quantity& quantity) {
    if (!reading_.expect(node, JsonKind::list, "'uniform'")) return;
    for (std::size_t i = 0; i < node.items.size() && i < 2; ++i)
      (i == 0 ? quantity.first : quantity.second) = value(node.items[i], "every item of 'uniform'", range_);
    const Value &low = quantity.first, &high = quantity.second;
    if (node.items.size() != 2 || (low.expression == nullptr && high.expression == nullptr && low.number > high.number))
      reading_.problem(node, "'uniform' must be [low, high]");
  }

  void exponential(const JsonNode& node, Quantity& quantity) {
    quantity.first = value(node, "'exponential', the mean,", range_);
  }

  void normal(const JsonNode& node, Quantity& quantity) {
    ObjectReader object(node, program_tables().normal, reading_);
    need(object, "mean", quantity.first, {range_.low, range_.high});
    need(object, "sd", quantity.second, {0, range_.high});
  }

  void log_normal(const JsonNode& node, Quantity& quantity) {
    ObjectReader object(node, program_tables().log_normal, reading_);
    const JsonNode* median = object.find("median");
    const JsonNode* mean = object.find("mean");
    quantity.of_mean = mean != nullptr;
    if ((median == nullptr) == (mean == nullptr))
      reading_.problem(node, "'log_normal' needs either 'median' or 'mean'");
    if (median != nullptr) quantity.first = value(*median, "'median'", range_);
    if (mean != nullptr) quantity.first = value(*mean, "'mean'", range_);
    need(object, "sigma", quantity.second, kSigma);
  }

  void pareto(const JsonNode& node, Quantity& quantity) {
    ObjectReader object(node, program_tables().pareto, reading_);
    need(object, "scale", quantity.first, {0, range_.high, true});
    need(object, "shape", quantity.second, kShape);
    const JsonNode* at_most = object.find("at_most");
    if (at_most == nullptr) return;
    quantity.at_most = value(*at_most, "'at_most'", range_);
    if (quantity.at_most->expression == nullptr && quantity.first.expression == nullptr &&
        quantity.at_most->number < quantity.first.number)
      reading_.problem(*at_most, "'at_most' must be at least the scale");
  }

  void listed(const JsonNode& list, const std::string& key, const JsonNode* weights, Quantity& quantity) {
    quantity.values = reading_.numbers(list, key, range_);
    if (quantity.values.empty()) reading_.problem(list, key + " must have at least one value");
    quantity.weights = std::vector<double>(quantity.values.size(), 1);
    quantity.one_weight = weights == nullptr || !weights->is(JsonKind::list);
    if (weights == nullptr) return;
    if (weights->is(JsonKind::list)) {
      quantity.weights = reading_.numbers(*weights, "'weights'", {});
    } else {
      quantity.weights.assign(quantity.values.size(), reading_.number(*weights, "'weights'", {}));
    }
    if (quantity.weights.size() != quantity.values.size())
      reading_.problem(*weights, "'weights' must have as many numbers as " + key);
    check_weights(quantity.weights, *weights, reading_);
    if (quantity.kind == Quantity::Kind::measured) check_counts(quantity.weights, *weights, reading_);
  }

 private:
  Value value(const JsonNode& node, const std::string& what, Range range) {
    return read_value(node, what, range, reading_, later_);
  }
  void need(ObjectReader& object, const char* key, Value& into, Range range) {
    if (const JsonNode* node = object.need(key)) into = value(*node, fmt::format("'{}'", key), range);
  }

  const Range range_;
  const Reading& reading_;
  const LaterNames& later_;
};

using Kind = Quantity::Kind;
const std::vector<std::pair<const char*, Kind>> kDraws = {
    {"uniform", Kind::uniform},       {"exponential", Kind::exponential}, {"normal", Kind::normal},
    {"log_normal", Kind::log_normal}, {"pareto", Kind::pareto},           {"choice", Kind::choice},
    {"measured", Kind::measured}};

}  // namespace

Quantity read_quantity(const JsonNode& node, const std::string& what, Range range, const Reading& reading,
                       const LaterNames& later) {
  if (!node.is(JsonKind::object)) return Quantity::constant(read_value(node, what, range, reading, later));
  Quantity quantity;
  quantity.largest = range.high;
  ObjectReader object(node, program_tables().distribution, reading);
  const JsonNode* weights = object.find("weights");
  const JsonNode* drawn = nullptr;
  std::size_t given = 0;
  std::string key;
  for (const auto& [name, kind] : kDraws) {
    const JsonNode* found = object.find(name);
    if (found == nullptr) continue;
    ++given;
    drawn = found;
    key = fmt::format("'{}'", name);
    quantity.kind = kind;
  }
  if (given != 1) {
    reading.problem(node, what +
                              " must be a number or have one of 'uniform', 'exponential', 'normal', 'log_normal', "
                              "'pareto', 'choice' and 'measured'");
    return Quantity::constant(range.high);
  }
  const bool is_list = quantity.kind == Kind::choice || quantity.kind == Kind::measured;
  if (weights != nullptr && !is_list) reading.problem(*weights, "'weights' belongs to 'choice' or 'measured'");
  DrawReader draws(range, reading, later);
  if (is_list) {
    draws.listed(*drawn, key, weights, quantity);
  } else if (quantity.kind == Kind::uniform) {
    draws.uniform(*drawn, quantity);
  } else if (quantity.kind == Kind::exponential) {
    draws.exponential(*drawn, quantity);
  } else if (quantity.kind == Kind::normal) {
    draws.normal(*drawn, quantity);
  } else if (quantity.kind == Kind::log_normal) {
    draws.log_normal(*drawn, quantity);
  } else {
    draws.pareto(*drawn, quantity);
  }
  return quantity;
}

}  // namespace dpm

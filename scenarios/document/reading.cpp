#include "scenarios/document/reading.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "model/check.hpp"
#include "model/nearest_name.hpp"

namespace dpm {
namespace {

constexpr std::size_t kProblemsShown = 20;

std::string show(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.15g", value);
  return text;
}

std::string show(const JsonNode& node) {
  switch (node.kind) {
    case JsonKind::number:
      return show(node.number);
    case JsonKind::text:
      return fmt::format("'{}'", excerpt(node.text));
    case JsonKind::boolean:
      return node.flag ? "true" : "false";
    default:
      return name_of(node.kind);
  }
}

double harmless(Range range) { return range.above_low ? std::min(range.low + 1, range.high) : range.low; }

}  // namespace

bool in_range(double value, Range range) {
  return (range.above_low ? value > range.low : value >= range.low) && value <= range.high;
}

std::string within_but_is(double value, Range range) {
  const std::string bound = value > range.high ? "at most " + show(range.high)
                            : range.above_low  ? "greater than " + show(range.low)
                                               : "at least " + show(range.low);
  return fmt::format("{}, not {}", bound, show(value));
}

void Problems::add(int line, const std::string& what) {
  const auto [first, last] = found_.equal_range(line);
  const bool known = std::any_of(first, last, [&](const auto& problem) { return problem.second == what; });
  if (!known) found_.emplace(line, what);
}

Error Problems::error() const {
  Error error;
  std::size_t shown = 0;
  for (const auto& [line, what] : found_) {
    if (shown == kProblemsShown) {
      error.what += fmt::format("\n... and {} more", found_.size() - shown);
      break;
    }
    error.what += fmt::format("{}{}:{}: {}", (shown++ == 0 ? "" : "\n"), path_, line, what);
  }
  return error;
}

const ParameterValue* Environment::find(const std::string& name) const {
  const auto found = values.find(name);
  if (found != values.end()) return &found->second;
  return outer == nullptr ? nullptr : outer->find(name);
}

std::vector<std::string> Environment::names() const {
  std::vector<std::string> names = outer == nullptr ? std::vector<std::string>{} : outer->names();
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

std::string hint(const std::string& typed, const std::vector<std::string>& valid) {
  constexpr std::size_t kFew = 8;
  const std::string meant = did_you_mean(typed, valid);
  if (!meant.empty() || valid.empty() || valid.size() > kFew) return meant;
  std::string list = "; there is ";
  for (std::size_t i = 0; i < valid.size(); ++i)
    list += (i == 0 ? "" : i + 1 == valid.size() ? " and " : ", ") + fmt::format("'{}'", valid[i]);
  return list;
}

bool Reading::expect(const JsonNode& node, JsonKind kind, const std::string& what) const {
  if (node.is(kind)) return true;
  problem(node, fmt::format("{} must be {}, not {}", what, name_of(kind), show(node)));
  return false;
}

std::optional<Expression> Reading::expression(const std::string& text, const JsonNode& node, const std::string& what,
                                              const LaterNames& later) const {
  const auto expression = Expression::parse(text, [&](const std::string& name) -> Result<Expression::Meaning> {
    const ParameterValue* found = names.find(name);
    if (const auto known_later = later ? later(name) : std::nullopt) {
      if (found != nullptr) return Error{fmt::format("'{}' is a parameter and a variable: rename one of them", name)};
      if (!*known_later) return known_later->error();
      return Expression::Meaning{**known_later};
    }
    if (found == nullptr && (name == "index" || name == "count"))
      return Error{fmt::format("'{}' has a meaning only for a process with a 'count'", name)};
    if (found == nullptr) return Error{fmt::format("no parameter '{}'{}", name, hint(name, names.names()))};
    if (const auto* number = std::get_if<double>(found)) return Expression::Meaning{*number};
    return Error{fmt::format("parameter '{}' is not a number", name)};
  });
  if (expression) return *expression;
  problem(node, fmt::format("{}: '${{{}}}': {}", what, excerpt(text), expression.error().what));
  return std::nullopt;
}

std::optional<double> Reading::value_of(const std::string& text, const JsonNode& node, const std::string& what) const {
  const auto found = expression(text, node, what, {});
  if (!found) return std::nullopt;
  const auto value = found->value({});
  if (value) return *value;
  problem(node, fmt::format("{}: '${{{}}}': {}", what, excerpt(text), value.error().what));
  return std::nullopt;
}

double Reading::number(const JsonNode& node, const std::string& what, Range range) const {
  double value = node.number;
  if (node.is(JsonKind::text) && node.text.size() > 3 && node.text.compare(0, 2, "${") == 0 &&
      node.text.back() == '}') {
    const auto found = value_of(node.text.substr(2, node.text.size() - 3), node, what);
    if (!found) return harmless(range);
    value = *found;
  } else if (node.is(JsonKind::text) && node.text.size() > 1 && node.text.front() == '$') {
    const std::string parameter = node.text.substr(1);
    const ParameterValue* found = names.find(parameter);
    if (found == nullptr) {
      problem(node, fmt::format("no parameter '{}' for {}{}", parameter, what, hint(parameter, names.names())));
      return harmless(range);
    }
    if (!std::holds_alternative<double>(*found)) {
      problem(node, fmt::format("{} must be a number, and parameter '{}' is not one", what, parameter));
      return harmless(range);
    }
    value = std::get<double>(*found);
  } else if (!expect(node, JsonKind::number, what)) {
    return harmless(range);
  }
  if (in_range(value, range)) return value;
  problem(node, fmt::format("{} must be {}", what, within_but_is(value, range)));
  return harmless(range);
}

std::uint64_t Reading::whole(const JsonNode& node, const std::string& what, Range range) const {
  double value = number(node, what, range);
  if (value != std::floor(value)) {
    problem(node, fmt::format("{} must be a whole number, not {}", what, show(value)));
    value = harmless(range);
  }
  return static_cast<std::uint64_t>(value);
}

bool Reading::flag(const JsonNode& node, const std::string& what) const {
  return expect(node, JsonKind::boolean, what) && node.flag;
}

std::string Reading::text(const JsonNode& node, const std::string& what) const {
  if (!expect(node, JsonKind::text, what)) return "";
  if (node.text.empty()) problem(node, what + " must not be empty");
  return node.text;
}

std::string Reading::text_with_index(const JsonNode& node, const std::string& what) const {
  std::string result = text(node, what);
  for (std::size_t at = result.find("${"); at != std::string::npos; at = result.find("${")) {
    const std::size_t end = result.find('}', at);
    if (end == std::string::npos) {
      problem(node, what + ": '${' needs a '}'");
      return "";
    }
    const auto value = value_of(result.substr(at + 2, end - at - 2), node, what);
    if (!value) return "";
    if (*value != std::floor(*value)) {
      problem(node, fmt::format("{}: '{}' must be a whole number, not {}", what,
                                excerpt(result.substr(at, end + 1 - at)), show(*value)));
      return "";
    }
    result.replace(at, end + 1 - at, show(*value));
  }
  const ParameterValue* index = names.find("index");
  constexpr std::string_view kIndex = "$index";
  for (std::size_t at = result.find(kIndex); at != std::string::npos; at = result.find(kIndex)) {
    if (index == nullptr) {
      problem(node, what + ": '$index' has a meaning only for a process with a 'count'");
      return "";
    }
    result.replace(at, kIndex.size(), show(std::get<double>(*index)));
  }
  return result;
}

std::string Reading::name(const JsonNode& node, const std::string& what) const {
  const std::string result = text_with_index(node, what);
  if (result.empty() || result.front() != '$') return result;
  const std::string parameter = result.substr(1);
  const ParameterValue* found = names.find(parameter);
  if (found == nullptr) {
    problem(node, fmt::format("no parameter '{}' for {}{}", parameter, what, hint(parameter, names.names())));
    return "";
  }
  if (const auto* value = std::get_if<std::string>(found)) return *value;
  problem(node, fmt::format("{} must be a text, and parameter '{}' is not one", what, parameter));
  return "";
}

std::string Reading::word(const JsonNode& node, const std::string& what, const std::vector<std::string>& words) const {
  const std::string typed = text(node, what);
  if (typed.empty() || std::find(words.begin(), words.end(), typed) != words.end()) return typed;
  problem(node, fmt::format("{} cannot be '{}'{}", what, excerpt(typed), hint(typed, words)));
  return words.front();
}

std::vector<std::string> Reading::texts(const JsonNode& node, const std::string& what) const {
  if (node.is(JsonKind::text)) return {text_with_index(node, what)};
  if (!node.is(JsonKind::list)) {
    problem(node, fmt::format("{} must be a text or a list of texts, not {}", what, show(node)));
    return {};
  }
  std::vector<std::string> result;
  for (const auto& item : node.items) result.push_back(text_with_index(item, "every item of " + what));
  return result;
}

std::vector<double> Reading::numbers(const JsonNode& node, const std::string& what, Range range) const {
  std::vector<double> result;
  if (!expect(node, JsonKind::list, what)) return result;
  for (const auto& item : node.items) result.push_back(number(item, "every item of " + what, range));
  return result;
}

ObjectReader::ObjectReader(const JsonNode& node, const KeyTable& table, const Reading& reading)
    : node_(node), table_(table), reading_(reading) {
  reading.expect(node, JsonKind::object, table.noun);
  for (const auto& member : node.members) {
    if (std::find(table.keys.begin(), table.keys.end(), member.key) != table.keys.end()) continue;
    reading.problems.add(member.line,
                         fmt::format("{} has no '{}'{}", table.noun, member.key, hint(member.key, table.keys)));
  }
}

// A key that the table allows but no code reads would be ignored silently: that is our mistake.
ObjectReader::~ObjectReader() {
  for (const auto& member : node_.members) DPM_CHECK(asked_.count(member.key) == 1 || !reading_.problems.empty());
}

const JsonNode* ObjectReader::find(const std::string& key) {
  DPM_CHECK(std::find(table_.keys.begin(), table_.keys.end(), key) != table_.keys.end());
  asked_.insert(key);
  return node_.find(key);
}

const JsonNode* ObjectReader::need(const std::string& key) {
  const JsonNode* found = find(key);
  if (found == nullptr && node_.is(JsonKind::object))
    reading_.problem(node_, fmt::format("{} needs '{}'", table_.noun, key));
  return found;
}

double ObjectReader::number(const std::string& key, double otherwise, Range range) {
  const JsonNode* found = find(key);
  return found == nullptr ? otherwise : reading_.number(*found, fmt::format("'{}'", key), range);
}

std::uint64_t ObjectReader::whole(const std::string& key, std::uint64_t otherwise, Range range) {
  const JsonNode* found = find(key);
  return found == nullptr ? otherwise : reading_.whole(*found, fmt::format("'{}'", key), range);
}

bool ObjectReader::flag(const std::string& key, bool otherwise) {
  const JsonNode* found = find(key);
  return found == nullptr ? otherwise : reading_.flag(*found, fmt::format("'{}'", key));
}

std::string ObjectReader::text(const std::string& key, const std::string& otherwise) {
  const JsonNode* found = find(key);
  return found == nullptr ? otherwise : reading_.text(*found, fmt::format("'{}'", key));
}

std::string ObjectReader::needed_text(const std::string& key) {
  const JsonNode* found = need(key);
  return found == nullptr ? "" : reading_.text(*found, fmt::format("'{}'", key));
}

std::string ObjectReader::word(const std::string& key, const std::string& otherwise,
                               const std::vector<std::string>& words) {
  const JsonNode* found = find(key);
  return found == nullptr ? otherwise : reading_.word(*found, fmt::format("'{}'", key), words);
}

}  // namespace dpm

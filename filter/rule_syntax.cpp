#include "filter/rule_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

namespace dpm {
namespace {

struct OperatorName {
  std::string_view text;
  Comparison comparison;
};

// Longer ones first.
constexpr std::array kOperators = {
    OperatorName{">=", Comparison::at_least},  OperatorName{"<=", Comparison::at_most},
    OperatorName{"!=", Comparison::not_equal}, OperatorName{"≥", Comparison::at_least},
    OperatorName{"≤", Comparison::at_most},    OperatorName{"≠", Comparison::not_equal},
    OperatorName{">", Comparison::greater},    OperatorName{"<", Comparison::less},
    OperatorName{"=", Comparison::equal},
};

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }

class RuleParser {
 public:
  RuleParser(const std::string& file, std::string_view text) : file_(file), left_(text) {}

  Result<std::vector<Rule>> parse() {
    while (true) {
      skip_blanks();
      if (left_.empty()) break;
      if (left_.front() == ';' || left_.front() == '\n') {
        if (left_.front() == ';' && expects_more_) return error("expected a condition after ','");
        if (left_.front() == ';' || !expects_more_) end_rule();
        line_ += left_.front() == '\n' ? 1 : 0;
        left_.remove_prefix(1);
      } else if (left_.front() == ',') {
        if (rule_.conditions.empty() || expects_more_) return error("expected a condition before ','");
        expects_more_ = true;
        comma_line_ = line_;
        left_.remove_prefix(1);
      } else {
        if (rule_.conditions.empty()) rule_.line = line_;
        auto condition = parse_condition();
        if (!condition) return condition.error();
        rule_.conditions.push_back(*std::move(condition));
        expects_more_ = false;
      }
    }
    if (expects_more_) {
      line_ = comma_line_;
      return error("expected a condition after ','");
    }
    end_rule();
    return std::move(rules_);
  }

 private:
  Result<Condition> parse_condition() {
    Condition condition;
    if (!is_name_start(left_.front()))
      return error(fmt::format("expected the name of a field before '{}'", next_text()));
    condition.field = take_field_name(left_);
    skip_blanks();
    const auto comparison = take_comparison(left_);
    if (!comparison) {
      const std::string found =
          left_.empty() || left_.front() == '\n' ? "the end of the line" : fmt::format("'{}'", next_text());
      return error(fmt::format("expected one of > < = != >= <= after '{}', found {}", condition.field, found));
    }
    condition.comparison = *comparison;
    skip_blanks();
    if (auto taken = take_value(condition); !taken) return taken.error();
    if (condition.any_value && condition.comparison != Comparison::equal)
      return error(fmt::format("'*' matches any value, so it can only follow '=' (field '{}')", condition.field));
    return condition;
  }

  Result<void> take_value(Condition& condition) {
    if (take("**") || take("##") || take("#*")) {
      condition.discards = condition.any_value = true;
    } else if (take("*")) {
      condition.any_value = true;
    } else {
      condition.discards = take("#");
      skip_blanks();
      if (take("-")) condition.value = "-";
      condition.value += take_field_name(left_);
      if (condition.value.empty() || condition.value == "-")
        return error(fmt::format("expected a value for '{}': a number, '*', or the name of a field", condition.field));
    }
    // "1x": a value ends where the next condition, a separator or the line begins.
    if (!left_.empty() && !is_separator(left_.front()) && !starts_comment())
      return error(fmt::format("unexpected '{}' after the value of '{}'", next_text(), condition.field));
    return {};
  }

  static bool is_separator(char c) { return c == ',' || c == ';' || std::isspace(static_cast<unsigned char>(c)) != 0; }

  bool starts_comment() const { return left_.substr(0, 2) == "//"; }

  void skip_blanks() {
    while (!left_.empty()) {
      if (starts_comment()) {
        left_.remove_prefix(std::min(left_.find('\n'), left_.size()));
      } else if (left_.front() != '\n' && std::isspace(static_cast<unsigned char>(left_.front())) != 0) {
        left_.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  bool take(std::string_view token) {
    if (left_.substr(0, token.size()) != token) return false;
    left_.remove_prefix(token.size());
    return true;
  }

  // The text here, short enough to quote.
  std::string next_text() const {
    std::size_t length = 0;
    while (length < left_.size() && length < 20 && !is_separator(left_[length])) ++length;
    return std::string(left_.substr(0, std::max<std::size_t>(length, 1)));
  }

  void end_rule() {
    if (!rule_.conditions.empty()) rules_.push_back(std::move(rule_));
    rule_ = {};
  }

  Error error(const std::string& what) const { return Error{fmt::format("{}:{}: {}", file_, line_, what)}; }

  const std::string& file_;
  std::string_view left_;
  int line_ = 1;
  bool expects_more_ = false;  // a comma was read last
  int comma_line_ = 0;
  Rule rule_;
  std::vector<Rule> rules_;
};

}  // namespace

std::optional<Comparison> take_comparison(std::string_view& text) {
  for (const auto& known : kOperators) {
    if (!text.starts_with(known.text)) continue;
    text.remove_prefix(known.text.size());
    return known.comparison;
  }
  return std::nullopt;
}

std::string take_field_name(std::string_view& text) {
  std::size_t length = 0;
  while (length < text.size() && (std::isalnum(static_cast<unsigned char>(text[length])) != 0 || text[length] == '_'))
    ++length;
  std::string name(text.substr(0, length));
  text.remove_prefix(length);
  return name;
}

Result<std::vector<Rule>> parse_rules(const std::string& file, std::string_view text) {
  return RuleParser(file, text).parse();
}

}  // namespace dpm

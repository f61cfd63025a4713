#include "answers/find/find_expression.hpp"

#include <fmt/format.h>

#include <cctype>
#include <charconv>

#include "model/nearest_name.hpp"
#include "text/bytes_text.hpp"
#include "text/characters.hpp"
#include "text/duration_text.hpp"

namespace dpm::cli {
namespace {

constexpr const char* kExample = "'messages from:server latency>10ms'";

bool is_gap_between(char c) { return c == ',' || c == ';' || std::isspace(static_cast<unsigned char>(c)) != 0; }

class FindParser {
 public:
  explicit FindParser(std::string_view text) : text_(text), left_(text) {}

  Result<FindExpression> parse() {
    take_kind();
    FindRule rule;
    bool expects_more = false;
    for (skip_blanks(); !left_.empty(); skip_blanks()) {
      const bool ends_rule = left_.front() == ';';
      if (ends_rule || left_.front() == ',') {
        if (rule.empty() || expects_more) return error(fmt::format("expected a condition before '{}'", left_.front()));
        left_.remove_prefix(1);
        expects_more = !ends_rule;
        if (ends_rule) expression_.rules.push_back(std::exchange(rule, {}));
        continue;
      }
      auto condition = take_condition();
      if (!condition) return condition.error();
      rule.push_back(*std::move(condition));
      expects_more = false;
    }
    if (expects_more) return error("expected a condition at the end");
    if (!rule.empty()) expression_.rules.push_back(std::move(rule));
    return std::move(expression_);
  }

 private:
  // A first word that no operator follows.
  void take_kind() {
    skip_blanks();
    const std::string_view before = left_;
    const std::string word = take_field_name(left_);
    const bool is_alone = left_.empty() || std::isspace(static_cast<unsigned char>(left_.front())) != 0;
    if (const auto kind = item_kind_from_name(word); kind && is_alone) {
      expression_.kind = *kind;
    } else {
      left_ = before;
    }
  }

  Result<FindCondition> take_condition() {
    const std::string_view begin = left_;
    const std::string word = take_field_name(left_);
    if (word.empty()) return error(fmt::format("expected the name of a field, found '{}'", next_text()));
    FindCondition condition;
    condition.field = field_named(expression_.kind, word);
    if (condition.field == nullptr) return no_field(begin, word);
    skip_blanks();
    if (auto taken = take_operator(condition); !taken) return taken.error();
    skip_blanks();
    const std::string_view value_begins = left_;
    const auto value = take_value();
    if (!value) return value.error();
    if (auto read = read_value(*value, condition); !read) {
      left_ = value_begins;
      return error(read.error().what);
    }
    return condition;
  }

  Error no_field(std::string_view begin, const std::string& word) {
    left_ = begin;
    const std::vector<std::string> fields = field_names(expression_.kind);
    std::vector<std::string> known = fields;
    if (left_.data() == text_.data())
      for (std::string& kind : item_kind_names()) known.push_back(std::move(kind));
    return error(fmt::format("{} have no field '{}'{}; theirs are {}", name_of(expression_.kind), word,
                             did_you_mean(word, known), fmt::join(fields, ", ")));
  }

  Result<void> take_operator(FindCondition& condition) {
    const std::string_view before = left_;
    const bool names = is_name(condition.field->type);
    if (left_.starts_with(':')) {
      condition.with_numbered = names;
      left_.remove_prefix(1);
      if (names) return {};
    } else if (const auto comparison = take_comparison(left_)) {
      condition.comparison = *comparison;
      if (!names || *comparison == Comparison::equal || *comparison == Comparison::not_equal) return {};
    }
    left_ = before;
    const std::string found = left_.empty() ? "the end" : fmt::format("'{}'", next_text());
    const std::string expected = fmt::format("expected one of {} after '{}', found {}",
                                             names ? ": = !=" : "> < = != >= <=", condition.field->name, found);
    return error(left_.empty() ? expected + " (a shell takes > and < unless the expression is in quotes)" : expected);
  }

  Result<std::string> take_value() {
    if (left_.starts_with('\'') || left_.starts_with('"')) {
      const std::size_t end = left_.find(left_.front(), 1);
      if (end == std::string_view::npos) return error(fmt::format("the quote {} does not end", left_.front()));
      std::string value(left_.substr(1, end - 1));
      left_.remove_prefix(end + 1);
      return value;
    }
    std::size_t length = 0;
    while (length < left_.size() && !is_gap_between(left_[length])) ++length;
    std::string value(left_.substr(0, length));
    left_.remove_prefix(length);
    return value;
  }

  static Result<void> read_value(const std::string& value, FindCondition& condition) {
    const std::string_view field = condition.field->name;
    switch (condition.field->type) {
      case FieldType::time: {
        const auto time = duration_from(value);
        if (!time) return Error{fmt::format("{}: {}", field, time.error().what)};
        condition.amount = time->ns;
        return {};
      }
      case FieldType::bytes: {
        const auto bytes = bytes_from(value);
        if (!bytes) return Error{fmt::format("{}: {}", field, bytes.error().what)};
        condition.amount = static_cast<std::int64_t>(*bytes);
        return {};
      }
      case FieldType::number: {
        const char* const end = value.data() + value.size();
        const auto read = std::from_chars(value.data(), end, condition.amount);
        if (read.ec != std::errc() || read.ptr != end || condition.amount < 0)
          return Error{fmt::format("{}: '{}' is not a whole number", field, value)};
        return {};
      }
      default:
        if (value.empty()) return Error{fmt::format("{}: expected a name", field)};
        condition.name = value;
        return {};
    }
  }

  void skip_blanks() {
    while (!left_.empty() && std::isspace(static_cast<unsigned char>(left_.front())) != 0) left_.remove_prefix(1);
  }

  // Short enough to quote.
  std::string next_text() const {
    constexpr std::size_t kQuoted = 20;
    return shortened(left_.substr(0, left_.find_first_of(" \t\n")), kQuoted);
  }

  Error error(const std::string& what) const {
    const std::string_view before = text_.substr(0, text_.size() - left_.size());
    return Error{fmt::format("character {}: {}; an example: {}", character_count(before) + 1, what, kExample)};
  }

  const std::string_view text_;
  std::string_view left_;
  FindExpression expression_;
};

}  // namespace

Result<FindExpression> parse_find_expression(std::string_view text) { return FindParser(text).parse(); }

}  // namespace dpm::cli

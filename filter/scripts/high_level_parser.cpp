#include "filter/scripts/high_level_parser.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <vector>

#include "filter/scripts/script_words.hpp"
#include "model/meter_flags.hpp"
#include "model/nearest_name.hpp"

namespace dpm {
namespace {

constexpr std::size_t kDepthMost = 64;  // of parentheses
constexpr const char* kTimeIsMissing =
    "expected within TIME: that an event does not happen is known when a time is over";
constexpr std::uint64_t kCountMost = 1'000'000;
constexpr std::int64_t kTimeMost_ns = std::int64_t{24} * 3600 * 1'000'000'000;

using Kind = EventExpression::Kind;

EventExpression joined(Kind kind, EventExpression left, EventExpression right) {
  EventExpression both;
  both.kind = kind;
  both.parts.push_back(std::move(left));
  both.parts.push_back(std::move(right));
  return both;
}

class HighLevelParser {
 public:
  HighLevelParser(std::string_view line, const std::map<std::string, std::size_t>& events)
      : words_(tokens_of(line)), events_(events) {
    end_.column = words_.empty() ? 1 : words_.back().column + words_.back().text.size();
  }

  // Thrown as ScriptMistake where the line is wrong.
  HighLevelEvent parse() {
    HighLevelEvent event;
    expect("when");
    event.name = name("a name for the event");
    expect("is");
    event.expression = any(0);
    if (accept("while")) {
      event.during = HighLevelEvent::Region();
      event.during->begin = defined_event();
      expect("until");
      event.during->end = defined_event();
    }
    if (accept("do")) {
      do event.actions.push_back(action());
      while (accept(","));
    }
    if (at_ < words_.size())
      fail(event.actions.empty()
               ? fmt::format("expected then, and, or, within, count, while or do, not '{}'", words_[at_].text)
               : fmt::format("expected ',' between actions, not '{}'", words_[at_].text));
    event.variables = std::move(variables_);
    return event;
  }

  RegionDefinition parse_region() {
    RegionDefinition region;
    expect("region");
    region.name = name("a name for the region");
    expect("is");
    region.begin = edge();
    expect("until");
    region.end = edge();
    if (at_ < words_.size()) fail(fmt::format("expected nothing more, not '{}'", words_[at_].text));
    return region;
  }

 private:
  EventExpression any(std::size_t depth) {
    if (depth > kDepthMost) fail(fmt::format("an event has at most {} parentheses inside each other", kDepthMost));
    EventExpression left = both(depth);
    while (accept("or")) left = joined(Kind::either, std::move(left), both(depth));
    return left;
  }

  EventExpression both(std::size_t depth) {
    EventExpression left = sequence(depth);
    while (accept("and")) {
      const Kind kind = accept("not") ? Kind::both_not : Kind::both;
      left = joined(kind, std::move(left), sequence(depth));
      left.within_ns = within();
      if (kind == Kind::both_not && !left.within_ns) fail(kTimeIsMissing);
    }
    return left;
  }

  EventExpression sequence(std::size_t depth) {
    const bool is_absent = accept("not");
    EventExpression left = part(depth);
    if (is_absent) {
      if (!accept("then")) fail("expected then: what does not happen is before or after what happens");
      left = joined(Kind::absent, std::move(left), part(depth));
      left.within_ns = within();
    }
    while (accept("then")) {
      const Kind kind = accept("not") ? Kind::then_not : Kind::then;
      left = joined(kind, std::move(left), part(depth));
      left.within_ns = within();
      if (kind == Kind::then_not && !left.within_ns) add_what_follows(left, depth);
    }
    return left;
  }

  // Of "a then not b then c": the parts become a, c, b.
  void add_what_follows(EventExpression& expression, std::size_t depth) {
    if (!accept("then")) fail(kTimeIsMissing);
    if (word().text == "not") fail("expected an event that happens");
    expression.kind = Kind::without;
    expression.parts.insert(expression.parts.begin() + 1, part(depth));
    expression.within_ns = within();
  }

  EventExpression part(std::size_t depth) {
    EventExpression expression;
    if (accept("(")) {
      expression = any(depth + 1);
      expect(")");
    } else {
      expression.event = defined_event();
      expression.conditions = conditions();
    }
    if (!accept("count")) return expression;
    EventExpression counted;
    counted.kind = Kind::count;
    counted.count = number_from<std::uint64_t>(1, kCountMost, "a count is a whole number from 1 to 1,000,000");
    counted.parts.push_back(std::move(expression));
    counted.within_ns = within();
    return counted;
  }

  RegionDefinition::Edge edge() {
    RegionDefinition::Edge edge;
    edge.event = defined_event();
    edge.conditions = conditions();
    if (!variables_.empty()) fail("a region has no variables");
    return edge;
  }

  std::vector<FieldCondition> conditions() {
    std::vector<FieldCondition> conditions;
    if (!accept("(")) return conditions;
    do conditions.push_back(condition());
    while (accept(","));
    expect(")");
    return conditions;
  }

  FieldCondition condition() {
    FieldCondition condition;
    condition.field = static_cast<OccurrenceField>(one_of(kOccurrenceFieldNames, "field"));
    condition.comparison = static_cast<FieldComparison>(one_of(kComparisonNames, "comparison"));
    const std::string_view text = word().text;
    if (!text.starts_with('$')) {
      const auto number = WholeNumber::from_text(text);
      if (!number) fail("expected a whole number, or $ and a name");
      condition.number = *number;
      ++at_;
      return condition;
    }
    if (condition.comparison != FieldComparison::equal) fail("a variable is only compared with =");
    if (text.size() == 1) fail("a variable is $ and a name: $c");
    const auto known = std::find(variables_.begin(), variables_.end(), text);
    condition.variable = static_cast<std::size_t>(known - variables_.begin());
    if (known == variables_.end()) {
      if (variables_.size() == kVariablesMost) fail(fmt::format("an event has at most {} variables", kVariablesMost));
      variables_.emplace_back(text);
    }
    ++at_;
    return condition;
  }

  std::optional<std::int64_t> within() {
    if (!accept("within")) return std::nullopt;
    static constexpr std::pair<std::string_view, std::int64_t> kUnits[] = {
        {"ns", 1}, {"us", 1000}, {"ms", 1'000'000}, {"s", 1'000'000'000}};
    constexpr const char* kUsage = "a time is a whole number with ns, us, ms or s, of a day at most: 10 ms";
    std::string_view text = word().text;
    std::int64_t number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || number <= 0) fail(kUsage);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (text.empty()) text = (++at_, word().text);
    const auto unit =
        std::find_if(std::begin(kUnits), std::end(kUnits), [&](const auto& u) { return u.first == text; });
    if (unit == std::end(kUnits) || number > kTimeMost_ns / unit->second) fail(kUsage);
    ++at_;
    return number * unit->second;
  }

  std::size_t defined_event() {
    if (word().text.empty()) fail("expected the name of an event");
    const auto found = events_.find(std::string(word().text));
    if (found == events_.end()) {
      std::vector<std::string> valid;
      if (events_.size() <= 10'000)
        for (const auto& [known, event] : events_) valid.push_back(known);
      fail(fmt::format("event '{}' is not defined above{}", word().text, did_you_mean(word().text, valid)));
    }
    ++at_;
    return found->second;
  }

  HighLevelAction action() {
    HighLevelAction action;
    action.kind = static_cast<HighLevelActionKind>(one_of(kHighLevelActionNames, "action"));
    switch (action.kind) {
      case HighLevelActionKind::on:
      case HighLevelActionKind::off:
        action.event = defined_event();
        break;
      case HighLevelActionKind::flags:
        action.flags = flags();
        [[fallthrough]];
      case HighLevelActionKind::stop:
        if (accept("of")) action.job = name("the name of a job");
        break;
      default:
        break;
    }
    return action;
  }

  // "send -receive", as the list that apply_flags() takes.
  std::string flags() {
    std::string list;
    while (at_ < words_.size() && word().text != "," && word().text != "of") {
      const std::string flag(word().text);
      if (const auto applied = apply_flags({}, flag); !applied) fail(applied.error().what);
      list += (list.empty() ? "" : ",") + flag;
      ++at_;
    }
    if (list.empty()) fail("expected meter flags, such as send -receive");
    return list;
  }

  template <std::size_t kSize>
  std::size_t one_of(const std::array<std::string_view, kSize>& names, const char* what) {
    const auto found = std::find(names.begin(), names.end(), word().text);
    if (found == names.end()) {
      const std::vector<std::string> valid(names.begin(), names.end());
      const std::string near = did_you_mean(word().text, valid);
      fail(fmt::format("no {} has the name '{}'{}", what, word().text,
                       near.empty() ? fmt::format("; there are {}", fmt::join(valid, " ")) : near));
    }
    ++at_;
    return static_cast<std::size_t>(found - names.begin());
  }

  template <typename Number>
  Number number_from(Number least, Number most, const char* usage) {
    const std::string_view text = word().text;
    Number number = 0;
    const auto [end, wrong] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (wrong != std::errc() || end != text.data() + text.size() || number < least || number > most) fail(usage);
    ++at_;
    return number;
  }

  std::string name(const char* what) {
    const std::string_view text = word().text;
    if (text.empty() || text.find_first_of("(),=!<>$") != std::string_view::npos)
      fail(fmt::format("expected {}", what));
    ++at_;
    return std::string(text);
  }

  const ScriptWord& word() const { return at_ < words_.size() ? words_[at_] : end_; }

  bool accept(std::string_view text) {
    if (word().text != text) return false;
    ++at_;
    return true;
  }

  void expect(std::string_view text) {
    if (!accept(text))
      fail(at_ < words_.size() ? fmt::format("expected '{}', not '{}'", text, word().text)
                               : fmt::format("expected '{}'", text));
  }

  [[noreturn]] void fail(std::string what) const { throw ScriptMistake{word().column, std::move(what)}; }

  std::vector<ScriptWord> words_;
  ScriptWord end_;
  const std::map<std::string, std::size_t>& events_;
  std::size_t at_ = 0;
  std::vector<std::string> variables_;
};

}  // namespace

std::variant<HighLevelEvent, ScriptMistake> parse_high_level(std::string_view line,
                                                             const std::map<std::string, std::size_t>& events) {
  try {
    return HighLevelParser(line, events).parse();
  } catch (ScriptMistake& mistake) {
    return std::move(mistake);
  }
}

std::variant<RegionDefinition, ScriptMistake> parse_region(std::string_view line,
                                                           const std::map<std::string, std::size_t>& events) {
  try {
    return HighLevelParser(line, events).parse_region();
  } catch (ScriptMistake& mistake) {
    return std::move(mistake);
  }
}

}  // namespace dpm

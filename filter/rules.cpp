#include "filter/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "filter/possible_values.hpp"
#include "model/check.hpp"
#include "model/counted.hpp"
#include "model/nearest_name.hpp"
#include "trace/event_fields.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::uint64_t kAllBits = ~std::uint64_t{0};
constexpr std::uint32_t kWordBytes = 8;

bool is_type_field(std::string_view name) { return same_name(name, "type") || same_name(name, "traceType"); }

bool is_number_field(const RecordField& field) {
  return field.length_bytes == 1 || field.length_bytes == 2 || field.length_bytes == 4 || field.length_bytes == 8;
}

std::optional<int> digit_of(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return std::nullopt;
}

// The number written in `text` as `length` bytes, least significant first; "0x" means base 16 whatever the field's
// base. Empty if it is not a number; too many bytes are returned as they are.
std::optional<std::vector<std::byte>> number_bytes(std::string_view text, std::uint32_t base) {
  if (text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X')) {
    text.remove_prefix(2);
    base = 16;
  }
  if (text.empty() || text.size() > 256) return std::nullopt;
  std::vector<std::byte> bytes;
  for (const char c : text) {
    const auto digit = digit_of(c);
    if (!digit || static_cast<std::uint32_t>(*digit) >= base) return std::nullopt;
    auto carry = static_cast<std::uint32_t>(*digit);
    for (auto& byte : bytes) {
      carry += std::to_integer<std::uint32_t>(byte) * base;
      byte = static_cast<std::byte>(carry & 0xff);
      carry >>= 8;
    }
    if (carry != 0) bytes.push_back(static_cast<std::byte>(carry));
  }
  return bytes;
}

// Numbers as strings of bytes, least significant first, of any lengths.
int compare_bytes(std::span<const std::byte> a, std::span<const std::byte> b) {
  for (std::size_t i = std::max(a.size(), b.size()); i-- > 0;) {
    const auto x = i < a.size() ? std::to_integer<int>(a[i]) : 0;
    const auto y = i < b.size() ? std::to_integer<int>(b[i]) : 0;
    if (x != y) return x < y ? -1 : 1;
  }
  return 0;
}

}  // namespace

bool RuleSet::ByteTest::holds(const std::byte* record) const {
  const std::span left(record + offset, length);
  const std::span right = other_length > 0 ? std::span(record + other_offset, other_length) : std::span(value);
  return dpm::holds(comparison, compare_bytes(left, right), 0);
}

// Turns parsed rules into a RuleSet. Rules are checked one after the other against all layouts; what is left of each
// rule is then laid out by layout, so that matching reads tests_ from left to right.
class RuleCompiler {
 public:
  RuleCompiler(const std::string& file, std::span<const RecordLayout> layouts)
      : file_(file), layouts_(layouts), rules_of_layout_(layouts.size()) {}

  Result<RuleSet> compile(const std::vector<Rule>& rules, std::string_view text) {
    for (const Rule& rule : rules)
      if (auto added = add_rule(rule); !added) return added.error();
    set_.text_ = text;
    for (auto& of_layout : rules_of_layout_) {
      set_.first_rule_.push_back(static_cast<std::uint32_t>(set_.rules_.size()));
      const bool takes_all = !of_layout.empty() && of_layout.front().is_empty();
      set_.whole_type_.push_back(takes_all ? of_layout.front().record_class : kNotKept);
      for (auto& pending : of_layout) {
        const auto [first_test, end_test] = append(set_.tests_, pending.tests);
        const auto [first_field_test, end_field_test] = append(set_.field_tests_, pending.field_tests);
        const auto [first_byte_test, end_byte_test] = append(set_.byte_tests_, pending.byte_tests);
        set_.rules_.push_back({first_test, end_test, first_field_test, end_field_test, first_byte_test, end_byte_test,
                               pending.record_class});
        if (pending.is_empty()) break;  // accepts all: later rules are never asked
      }
    }
    set_.first_rule_.push_back(static_cast<std::uint32_t>(set_.rules_.size()));
    return std::move(set_);
  }

 private:
  struct PendingRule {
    std::vector<RuleSet::Test> tests;
    std::vector<RuleSet::FieldTest> field_tests;
    std::vector<RuleSet::ByteTest> byte_tests;
    std::map<const RecordField*, PossibleValues> values;  // of the fields that are compared with numbers
    ClassIndex record_class = 0;

    bool is_empty() const { return tests.empty() && field_tests.empty() && byte_tests.empty(); }
  };

  // Where in `all` they now are.
  template <typename Test>
  static std::pair<std::uint32_t, std::uint32_t> append(std::vector<Test>& all, const std::vector<Test>& more) {
    const auto first = static_cast<std::uint32_t>(all.size());
    all.insert(all.end(), more.begin(), more.end());
    return {first, static_cast<std::uint32_t>(all.size())};
  }

  Result<void> add_rule(const Rule& rule) {
    line_ = rule.line;
    for (const Condition& condition : rule.conditions)
      if (auto known = check_field(condition); !known) return known;
    std::vector<std::size_t> of_type;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
      const auto accepted = types_accept(rule, layouts_[i]);
      if (!accepted) return accepted.error();
      if (*accepted) of_type.push_back(i);
    }
    if (of_type.empty()) return error("no event type satisfies this rule's conditions on its type");
    std::vector<std::size_t> applicable;
    for (const auto i : of_type)
      if (missing_field(rule, layouts_[i]).empty()) applicable.push_back(i);
    if (applicable.empty()) {
      const RecordLayout& layout = layouts_[of_type.front()];
      const std::string missing = missing_field(rule, layout);
      return error(
          fmt::format("no field '{}' in event {}{}", missing, layout.name, did_you_mean(missing, field_names(layout))));
    }
    for (const auto i : applicable)
      if (auto added = add_to_layout(rule, i); !added) return added;
    return {};
  }

  static std::vector<std::string> field_names(const RecordLayout& layout) {
    std::vector<std::string> names;
    for (const auto& field : layout.fields) names.push_back(field.name);
    return names;
  }

  std::vector<std::string> all_field_names() const {
    std::vector<std::string> names;
    for (const auto& layout : layouts_)
      for (const auto& field : layout.fields)
        if (std::find(names.begin(), names.end(), field.name) == names.end()) names.push_back(field.name);
    return names;
  }

  bool is_field(std::string_view name) const {
    return std::any_of(layouts_.begin(), layouts_.end(),
                       [&](const RecordLayout& layout) { return find_field(layout, name) != nullptr; });
  }

  Result<void> check_field(const Condition& condition) const {
    if (is_type_field(condition.field) || is_field(condition.field)) return {};
    for (const auto& layout : layouts_) {
      if (!is_unrecorded_field(layout, condition.field)) continue;
      if (condition.any_value) return {};
      return error(fmt::format("field '{}' is not recorded here: a rule can discard it ('{}=#*') but not compare it",
                               condition.field, condition.field));
    }
    return error(
        fmt::format("no event has a field '{}'{}", condition.field, did_you_mean(condition.field, all_field_names())));
  }

  // Decides the conditions on the type of records.
  Result<bool> types_accept(const Rule& rule, const RecordLayout& layout) const {
    for (const Condition& condition : rule.conditions) {
      if (!is_type_field(condition.field) || condition.any_value) continue;
      const auto type = type_value(condition, layout);
      if (!type) return type.error();
      if (!holds(condition.comparison, layout.type, *type)) return false;
    }
    return true;
  }

  // A type by number or by name. An event has several names, and a description file may use any of them.
  Result<std::uint64_t> type_value(const Condition& condition, const RecordLayout& asking) const {
    for (const auto& layout : layouts_)
      if (same_name(layout.name, condition.value)) return layout.type;
    if (const auto event = event_type_from_name(condition.value))
      for (const auto& layout : layouts_)
        if (event_type_from_name(layout.name) == event) return layout.type;
    const RecordField* field = find_field(asking, "traceType");
    const auto bytes = number_bytes(condition.value, field != nullptr ? field->base : 10);
    if (bytes && bytes->size() <= 8) {
      std::uint64_t number = 0;
      if (!bytes->empty()) std::memcpy(&number, bytes->data(), bytes->size());
      const bool is_type = std::any_of(layouts_.begin(), layouts_.end(),
                                       [&](const RecordLayout& layout) { return layout.type == number; });
      if (is_type || condition.comparison != Comparison::equal) return number;
    }
    std::vector<std::string> names;
    for (const auto& layout : layouts_) names.push_back(layout.name);
    return error(fmt::format("no event type '{}'{}", condition.value, did_you_mean(condition.value, names)));
  }

  // The first field that the rule names and the layout lacks; empty if it has them all.
  std::string missing_field(const Rule& rule, const RecordLayout& layout) const {
    for (const Condition& condition : rule.conditions) {
      if (is_type_field(condition.field)) continue;
      if (find_field(layout, condition.field) == nullptr && !is_unrecorded_field(layout, condition.field))
        return condition.field;
      if (!condition.any_value && is_field(condition.value) && find_field(layout, condition.value) == nullptr)
        return condition.value;
    }
    return "";
  }

  Result<void> add_to_layout(const Rule& rule, std::size_t layout_number) {
    const RecordLayout& layout = layouts_[layout_number];
    PendingRule pending;
    RecordClass record{static_cast<std::uint32_t>(layout_number), 0};
    for (const Condition& condition : rule.conditions) {
      const RecordField* field = find_field(layout, condition.field);
      if (condition.discards && field != nullptr)
        record.discarded_fields |= std::uint64_t{1} << (field - layout.fields.data());
      if (condition.any_value || is_type_field(condition.field)) continue;
      if (auto added = add_test(condition, *field, layout, pending); !added) return added.error();
    }
    for (const auto& [field, values] : pending.values)
      if (values.are_none())
        return error(fmt::format("the conditions on '{}' exclude every value: the rule keeps nothing", field->name));
    pending.record_class = class_index(record);
    rules_of_layout_[layout_number].push_back(std::move(pending));
    return {};
  }

  ClassIndex class_index(const RecordClass& record) {
    const auto found = std::find(set_.classes_.begin(), set_.classes_.end(), record);
    if (found == set_.classes_.end()) set_.classes_.push_back(record);
    return static_cast<ClassIndex>(std::find(set_.classes_.begin(), set_.classes_.end(), record) -
                                   set_.classes_.begin());
  }

  Result<void> add_test(const Condition& condition, const RecordField& field, const RecordLayout& layout,
                        PendingRule& rule) {
    if (!is_field(condition.value)) return add_value_test(condition, field, layout, rule);
    add_field_test(condition.comparison, field, *find_field(layout, condition.value), layout, rule);
    return {};
  }

  static bool fits_a_word(const RecordField& field, const RecordLayout& layout) {
    return is_number_field(field) && layout.size_bytes >= kWordBytes;
  }

  // How far inside its word a field lies at least, because no word goes beyond the record.
  static std::uint32_t least_shift(const RecordField& field, const RecordLayout& layout) {
    const std::uint32_t last_word = layout.size_bytes - kWordBytes;
    return field.offset_bytes > last_word ? field.offset_bytes - last_word : 0;
  }

  static RuleSet::Operand operand(const RecordField& field, std::uint32_t shift_bytes) {
    return {field.offset_bytes - shift_bytes, (kAllBits >> (64 - field.length_bytes * 8)) << (shift_bytes * 8)};
  }

  void add_field_test(Comparison comparison, const RecordField& field, const RecordField& other,
                      const RecordLayout& layout, PendingRule& rule) {
    const bool orders = comparison != Comparison::equal && comparison != Comparison::not_equal;
    const std::uint32_t length = std::max(field.length_bytes, other.length_bytes);
    if (fits_a_word(field, layout) && fits_a_word(other, layout)) {
      // Both at one place in their words, and for their order with a bit above them, which their difference sets.
      const std::uint32_t shift = std::max(least_shift(field, layout), least_shift(other, layout));
      const bool fits = shift + length < kWordBytes || (shift + length == kWordBytes && !orders);
      if (fits && shift <= std::min(field.offset_bytes, other.offset_bytes)) {
        // a > b is b < a, and the others are the negations of these.
        const bool swaps = comparison == Comparison::greater || comparison == Comparison::at_most;
        RuleSet::FieldTest test{{operand(swaps ? other : field, shift)}, operand(swaps ? field : other, shift)};
        set_difference(test.test, comparison);
        rule.field_tests.push_back(test);
        return;
      }
    }
    rule.byte_tests.push_back(
        {comparison, field.offset_bytes, field.length_bytes, other.offset_bytes, other.length_bytes, {}});
  }

  Result<void> add_value_test(const Condition& condition, const RecordField& field, const RecordLayout& layout,
                              PendingRule& rule) {
    std::string_view text = condition.value;
    const bool is_negative = !text.empty() && text.front() == '-';
    if (is_negative) text.remove_prefix(1);
    const auto bytes = number_bytes(text, field.base);
    if (!bytes)
      return error(fmt::format("'{}' is neither a number of base {} nor the name of a field{}", condition.value,
                               field.base, did_you_mean(condition.value, all_field_names())));
    note_base(text, field);
    if (is_negative && !is_signed(field)) return error(fmt::format("field '{}' is never negative", field.name));
    if (!fits_field(*bytes, is_negative, field))
      return error(fmt::format("{} does not fit field '{}' of {}", condition.value, field.name,
                               counted(field.length_bytes, "byte")));
    if (!is_number_field(field)) {
      rule.byte_tests.push_back({condition.comparison, field.offset_bytes, field.length_bytes, 0, 0, *bytes});
      return {};
    }
    std::uint64_t value = 0;
    if (!bytes->empty()) std::memcpy(&value, bytes->data(), bytes->size());
    if (is_negative) value = -value;
    const std::uint64_t first = is_signed(field) ? kSignBit : 0, most = kAllBits >> (64 - field.length_bytes * 8);
    rule.values.try_emplace(&field, most).first->second.demand(condition.comparison, value - first);
    if (!fits_a_word(field, layout)) {
      rule.byte_tests.push_back({condition.comparison, field.offset_bytes, field.length_bytes, 0, 0, *bytes});
      return {};
    }
    const std::uint32_t shift = least_shift(field, layout);
    RuleSet::Test test{operand(field, shift)};
    set_bounds(test, condition.comparison, value, first, most);
    test.low <<= shift * 8;
    test.span <<= shift * 8;
    rule.tests.push_back(test);
    return {};
  }

  // A signed field has one negative number more than positive ones.
  static bool fits_field(const std::vector<std::byte>& magnitude, bool is_negative, const RecordField& field) {
    if (magnitude.size() > field.length_bytes) return false;
    if (!is_signed(field) || magnitude.size() < 8 || (magnitude.back() & std::byte{0x80}) == std::byte{0}) return true;
    std::uint64_t value = 0;
    std::memcpy(&value, magnitude.data(), sizeof value);
    return is_negative && value == kSignBit;
  }

  // Digits of base 10 in a field of another base are probably meant as written there, and possibly not.
  void note_base(std::string_view text, const RecordField& field) {
    const auto is_decimal = [](char c) { return c >= '0' && c <= '9'; };
    if (field.base == 10 || text.size() < 2 || !std::all_of(text.begin(), text.end(), is_decimal)) return;
    const std::string note =
        fmt::format("{}:{}: {} is read in base {}, as field '{}' has it", file_, line_, text, field.base, field.name);
    if (std::find(set_.notes_.begin(), set_.notes_.end(), note) == set_.notes_.end()) set_.notes_.push_back(note);
  }

  static void set_difference(RuleSet::Test& test, Comparison comparison) {
    switch (comparison) {
      case Comparison::equal:
        break;
      case Comparison::not_equal:
        test.low = 1;
        test.span = kAllBits - 1;
        break;
      case Comparison::less:
      case Comparison::greater:
        test.low = kSignBit;
        test.span = kSignBit - 1;
        break;
      case Comparison::at_least:
      case Comparison::at_most:
        test.span = kSignBit - 1;
        break;
    }
  }

  // `first` is the least number the field can have, and `most` how many more there are.
  static void set_bounds(RuleSet::Test& test, Comparison comparison, std::uint64_t value, std::uint64_t first,
                         std::uint64_t most) {
    const bool is_never = (comparison == Comparison::greater && value - first == most) ||
                          (comparison == Comparison::less && value == first);
    switch (comparison) {
      case Comparison::equal:
        test.low = value;
        break;
      case Comparison::not_equal:
        test.low = value + 1;
        test.span = kAllBits - 1;
        break;
      case Comparison::less:
        test.low = first;
        test.span = value - first - 1;
        break;
      case Comparison::at_most:
        test.low = first;
        test.span = value - first;
        break;
      case Comparison::greater:
        test.low = value + 1;
        test.span = most - (value - first) - 1;
        break;
      case Comparison::at_least:
        test.low = value;
        test.span = most - (value - first);
        break;
    }
    if (is_never) test = {{}, 1, 0};
  }

  Error error(const std::string& what) const { return Error{fmt::format("{}:{}: {}", file_, line_, what)}; }

  const std::string& file_;
  std::span<const RecordLayout> layouts_;
  int line_ = 0;
  std::vector<std::vector<PendingRule>> rules_of_layout_;
  RuleSet set_;
};

Result<RuleSet> RuleSet::compile(const std::string& file, std::string_view text,
                                 std::span<const RecordLayout> layouts) {
  auto rules = parse_rules(file, text);
  if (!rules) return rules.error();
  if (!rules->empty()) return RuleCompiler(file, layouts).compile(*rules, text);
  RuleSet everything = keep_all(layouts);
  everything.text_ = text;
  return everything;
}

RuleSet RuleSet::keep_all(std::span<const RecordLayout> layouts) {
  RuleSet set;
  for (std::uint32_t i = 0; i < layouts.size(); ++i) {
    set.classes_.push_back({i, 0});
    set.whole_type_.push_back(static_cast<ClassIndex>(i));
  }
  set.first_rule_.resize(layouts.size() + 1);
  return set;
}

void RuleSet::discard(std::span<const RecordLayout> layouts, std::string_view field) {
  for (RecordClass& record : classes_) {
    const auto& fields = layouts[record.layout].fields;
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (same_name(fields[i].name, field)) record.discarded_fields |= std::uint64_t{1} << i;
  }
}

}  // namespace dpm

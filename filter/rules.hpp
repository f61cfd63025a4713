// Selection rules: which records a filter keeps, and which of their fields.
//
// A rule accepts a record when all its conditions hold; a record is kept when any rule accepts it, and the first rule
// that does decides which fields are discarded. Without rules all records are kept whole. A rule applies only to the
// record types that have all the fields it names; "type" and "traceType" name the same field, and a type may be given
// by number or by name.
//
// Rules that cannot be resolved are refused: an unknown field, type or value, or a rule that no record can satisfy
// because no type has all its fields, is an error with its line and the nearest valid name. So is a rule whose conditions
// on the numbers of one field exclude each other.
//
// Loading compiles the rules, per record type, into comparisons on (offset, mask, bounds) of the record's memory:
// conditions on the type are decided then, and matching reads nothing but the record. Numbers are unsigned and
// little-endian; `time` of eight bytes is signed. bench/filter measures matching against a plain pass over the same
// memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "filter/rule_syntax.hpp"
#include "model/record_layout.hpp"
#include "model/result.hpp"
#include "trace/record_class.hpp"

namespace dpm {

class RuleSet {
 public:
  // `file` names the rules in messages. The layouts are those of the records that match() gets.
  static Result<RuleSet> compile(const std::string& file, std::string_view text, std::span<const RecordLayout> layouts);

  // Keeps everything.
  static RuleSet keep_all(std::span<const RecordLayout> layouts);

  // Leaves this field out of all records, whatever the rules say. Before the first match().
  void discard(std::span<const RecordLayout> layouts, std::string_view field);

  // The record's class, an index into classes(), or kNotKept. `record` has at least the layout's size.
  ClassIndex match(std::size_t layout, const std::byte* record) const {
    if (whole_type_[layout] != kNotKept) return whole_type_[layout];
    for (std::uint32_t i = first_rule_[layout]; i < first_rule_[layout + 1]; ++i)
      if (accepts(rules_[i], record)) return rules_[i].record_class;
    return kNotKept;
  }

  std::size_t layouts() const { return whole_type_.size(); }
  const std::vector<RecordClass>& classes() const { return classes_; }
  const std::string& text() const { return text_; }
  const std::vector<std::string>& notes() const { return notes_; }  // on what may have been meant otherwise

 private:
  // A number of up to eight bytes: eight bytes of the record that contain it, masked.
  struct Operand {
    std::uint32_t offset = 0;
    std::uint64_t mask = 0;

    std::uint64_t of(const std::byte* record) const {
      std::uint64_t word;
      std::memcpy(&word, record + offset, sizeof word);
      return word & mask;
    }
  };

  // Every comparison tests whether a number lies in [low, low + span], on the ring of 64-bit numbers: there "unlike v"
  // and "less than v" are intervals too. One form without branches serves all comparisons.
  struct Test {
    Operand left;
    std::uint64_t low = 0;
    std::uint64_t span = 0;

    bool holds(const std::byte* record) const { return left.of(record) - low <= span; }
  };

  // Of two fields: the number is their difference.
  struct FieldTest {
    Test test;
    Operand right;

    bool holds(const std::byte* record) const {
      return test.left.of(record) - right.of(record) - test.low <= test.span;
    }
  };

  // Comparisons that do not fit this form: byte strings, records of less than eight bytes, the order of two fields of
  // eight bytes.
  struct ByteTest {
    Comparison comparison = Comparison::equal;
    std::uint32_t offset = 0, length = 0;
    std::uint32_t other_offset = 0, other_length = 0;  // a field of the record, or
    std::vector<std::byte> value;                      // a value, least significant byte first

    bool holds(const std::byte* record) const;
  };

  struct CompiledRule {
    std::uint32_t first_test = 0, end_test = 0;
    std::uint32_t first_field_test = 0, end_field_test = 0;
    std::uint32_t first_byte_test = 0, end_byte_test = 0;
    ClassIndex record_class = 0;
  };

  // No early exit: a mispredicted branch costs more than the few tests a rule has.
  bool accepts(const CompiledRule& rule, const std::byte* record) const {
    bool all_hold = true;
    for (std::uint32_t i = rule.first_test; i < rule.end_test; ++i) all_hold &= tests_[i].holds(record);
    for (std::uint32_t i = rule.first_field_test; i < rule.end_field_test; ++i)
      all_hold &= field_tests_[i].holds(record);
    for (std::uint32_t i = rule.first_byte_test; i < rule.end_byte_test; ++i) all_hold &= byte_tests_[i].holds(record);
    return all_hold;
  }

  std::string text_;
  std::vector<std::string> notes_;
  std::vector<RecordClass> classes_;
  std::vector<ClassIndex> whole_type_;     // by layout: the class of all its records, or kNotKept
  std::vector<std::uint32_t> first_rule_;  // by layout, one more at the end
  std::vector<CompiledRule> rules_;
  std::vector<Test> tests_;
  std::vector<FieldTest> field_tests_;
  std::vector<ByteTest> byte_tests_;

  friend class RuleCompiler;
};

}  // namespace dpm

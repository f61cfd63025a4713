// Which values of a field satisfy all conditions of a rule: to find conditions that exclude each other.
#pragma once

#include <cstdint>
#include <set>

#include "filter/rule_syntax.hpp"

namespace dpm {

class PossibleValues {
 public:
  // Values are given by their rank in the order of the field: 0 is the least, `last` the greatest.
  explicit PossibleValues(std::uint64_t last) : last_(last) {}

  void demand(Comparison comparison, std::uint64_t rank);
  bool are_none() const;

 private:
  void at_least(std::uint64_t rank);
  void at_most(std::uint64_t rank);

  bool is_impossible_ = false;
  std::uint64_t first_ = 0, last_;
  std::set<std::uint64_t> excluded_;
};

}  // namespace dpm

#include "filter/scripts/field_condition.hpp"

#include <algorithm>

namespace dpm {

bool compares(WholeNumber value, FieldComparison comparison, WholeNumber with) {
  switch (comparison) {
    case FieldComparison::equal:
      return value == with;
    case FieldComparison::unequal:
      return value != with;
    case FieldComparison::less:
      return value < with;
    case FieldComparison::at_most:
      return value <= with;
    case FieldComparison::greater:
      return value > with;
    case FieldComparison::at_least:
      return value >= with;
  }
  return false;
}

bool holds(std::span<const FieldCondition> conditions, const PrimitiveOccurrence& occurrence) {
  return std::all_of(conditions.begin(), conditions.end(), [&](const FieldCondition& condition) {
    return compares(occurrence.fields[static_cast<std::size_t>(condition.field)], condition.comparison,
                    condition.number);
  });
}

}  // namespace dpm

// Whether a primitive event that happened fits a condition.
#pragma once

#include <span>

#include "filter/scripts/event_evaluator.hpp"

namespace dpm {

bool compares(WholeNumber value, FieldComparison comparison, WholeNumber with);

// Conditions without variables.
bool holds(std::span<const FieldCondition> conditions, const PrimitiveOccurrence& occurrence);

}  // namespace dpm

// Reads a time or a size: a number, "$name", "${...}", or a distribution.
#pragma once

#include "scenarios/behaviour/quantity.hpp"
#include "scenarios/document/reading.hpp"

namespace dpm {

Value read_value(const JsonNode& node, const std::string& what, Range range, const Reading& reading,
                 const LaterNames& later);
Quantity read_quantity(const JsonNode& node, const std::string& what, Range range, const Reading& reading,
                       const LaterNames& later);

// Of bytes and keys: reported when a value that can come up is not whole. Those that are drawn between others are rounded.
void check_whole(const Quantity& quantity, const JsonNode& at, const std::string& what, const Reading& reading);

// Weights that can be drawn from: reported when they are all zero.
void check_weights(const std::vector<double>& weights, const JsonNode& at, const Reading& reading);
// Weights that can be dealt: reported when they are not whole.
void check_counts(const std::vector<double>& counts, const JsonNode& at, const Reading& reading);

}  // namespace dpm

// Arithmetic in a file: "index % count + 1".
//
//   sum = product { (+ | -) product }     product = factor { (* | / | %) factor }
//   factor = number | name | ( sum ) | - factor
//
// % is the remainder that has the sign of the divisor, so that (index - 2) % n is never negative.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "model/result.hpp"

namespace dpm {

using ValueOf = std::function<Result<double>(const std::string& name)>;

Result<double> evaluate(std::string_view expression, const ValueOf& value_of);

}  // namespace dpm

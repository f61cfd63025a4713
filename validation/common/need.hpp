// The value of a result, for programs that measure claims: a failure is thrown as std::runtime_error, and the claim is
// broken.
#pragma once

#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>

#include "model/result.hpp"

namespace dpm::validation {

// `of_what` is put before the reason, unless it is empty.
template <typename T>
T need(Result<T> result, const std::string& of_what = "") {
  if (!result) throw std::runtime_error((of_what.empty() ? "" : of_what + ": ") + result.error().what);
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

}  // namespace dpm::validation

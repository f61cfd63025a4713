// Result<T>: a value, or what went wrong and what to try. The member names are those of C++23's std::expected, so that
// the day the compiler has it this file becomes an alias.
#pragma once

#include <cerrno>
#include <cstring>
#include <string>
#include <utility>
#include <variant>

#include "model/check.hpp"

namespace dpm {

// `what` is one sentence for a user: what we were doing, on what, and what to try. Files are named "path:line: ...".
struct Error {
  std::string what;

  static Error from_errno(const std::string& doing) { return Error{doing + ": " + std::strerror(errno)}; }
};

template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::move(value)) {}
  Result(Error error) : state_(std::move(error)) {}

  bool has_value() const { return std::holds_alternative<T>(state_); }
  explicit operator bool() const { return has_value(); }

  T& value() & {
    DPM_CHECK(has_value());
    return std::get<T>(state_);
  }
  const T& value() const& {
    DPM_CHECK(has_value());
    return std::get<T>(state_);
  }
  T value() && {
    DPM_CHECK(has_value());
    return std::get<T>(std::move(state_));
  }  // by value: a reference would dangle
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

  const Error& error() const {
    DPM_CHECK(!has_value());
    return std::get<Error>(state_);
  }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), failed_(true) {}

  bool has_value() const { return !failed_; }
  explicit operator bool() const { return !failed_; }
  const Error& error() const {
    DPM_CHECK(failed_);
    return error_;
  }

 private:
  Error error_;
  bool failed_ = false;
};

}  // namespace dpm

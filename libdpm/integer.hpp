// An integer whose assignments and accesses can be seen from outside (S3 3.3). It is used as the integer itself is.
//
//   Integer<long> total(&monitor, "sum", "total", 0);
//   total += 5;                 // integer_access, integer_assign
//   if (total > limit) ...      // integer_access
#pragma once

#include <dpm/monitor/object.hpp>
#include <type_traits>

namespace dpm::monitor {

template <typename T>
class Integer : private Named {
  static_assert(std::is_integral_v<T> || std::is_enum_v<T>, "the recorded values are whole numbers");

 public:
  Integer(Monitor* owner, const char* function, const char* name, T value = {})
      : Named(owner, Kind::kInteger, function, name, is_signed()), value_(value) {}
  Integer(const Integer& other) : Named(other), value_(other.get()) {}

  T get(Report report = Report::kYes) const {
    happened(Action::kAccess, static_cast<std::int64_t>(value_), report);
    return value_;
  }
  void set(T value, Report report = Report::kYes) {
    value_ = value;
    happened(Action::kAssign, static_cast<std::int64_t>(value_), report);
  }

  operator T() const { return get(); }
  // Where it stands alone, as an argument of printf (S3 3.3). This is not the logical not: compare with 0 for that.
  T operator!() const { return get(); }
  Integer& operator=(T value) {
    set(value);
    return *this;
  }
  Integer& operator=(const Integer& other) { return *this = other.get(); }

  Integer& operator+=(T by) { return change(static_cast<T>(value_ + by)); }
  Integer& operator-=(T by) { return change(static_cast<T>(value_ - by)); }
  Integer& operator*=(T by) { return change(static_cast<T>(value_ * by)); }
  Integer& operator/=(T by) { return change(static_cast<T>(value_ / by)); }
  Integer& operator%=(T by) { return change(static_cast<T>(value_ % by)); }
  Integer& operator&=(T by) { return change(static_cast<T>(value_ & by)); }
  Integer& operator|=(T by) { return change(static_cast<T>(value_ | by)); }
  Integer& operator^=(T by) { return change(static_cast<T>(value_ ^ by)); }
  Integer& operator<<=(int by) { return change(static_cast<T>(value_ << by)); }
  Integer& operator>>=(int by) { return change(static_cast<T>(value_ >> by)); }
  Integer& operator++() { return change(static_cast<T>(value_ + 1)); }
  Integer& operator--() { return change(static_cast<T>(value_ - 1)); }
  T operator++(int) {
    const T before = value_;
    change(static_cast<T>(before + 1));
    return before;
  }
  T operator--(int) {
    const T before = value_;
    change(static_cast<T>(before - 1));
    return before;
  }

 private:
  static constexpr bool is_signed() {
    if constexpr (std::is_enum_v<T>)
      return std::is_signed_v<std::underlying_type_t<T>>;
    else
      return std::is_signed_v<T>;
  }

  // An access and an assignment: one load when neither is wanted.
  Integer& change(T value) {
    const T before = value_;
    value_ = value;
    if (is_any_wanted()) {
      happened(Action::kAccess, static_cast<std::int64_t>(before));
      happened(Action::kAssign, static_cast<std::int64_t>(value));
    }
    return *this;
  }

  T value_;
};

}  // namespace dpm::monitor

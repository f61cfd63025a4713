// What every monitorable object has (S3 3.2): a name, and the function where it is declared.
#pragma once

#include <dpm/monitor/layout.hpp>
#include <dpm/monitor/monitor.hpp>

namespace dpm::monitor {

// Whether a use of an object may be reported (S3 3.6, the third level of control).
enum class Report : bool { kNo, kYes };

class Named {
 public:
  // Without a monitor the object is silent (S3 3.6, the second level of control).
  Named(Monitor* owner, Kind kind, const char* function, const char* name, bool is_signed)
      : monitor_(owner), object_(owner == nullptr ? silent() : owner->object(kind, function, name, is_signed)) {}

  // Of which nothing is ever wanted.
  static const Object* silent();

 protected:
  bool is_any_wanted() const { return __builtin_expect(wanted() != 0, 0); }
  // One relaxed load when the action is not wanted.
  void happened(Action action, std::int64_t value) const {
    if (is_wanted(action)) monitor_->record(*object_, action, value);
  }
  void happened(Action action, std::int64_t value, Report report) const {
    if (report == Report::kYes) happened(action, value);
  }

 private:
  bool is_wanted(Action action) const {
    return __builtin_expect(wanted() & static_cast<std::uint32_t>(action), 0) != 0;
  }

  // The compilers take an atomic load, even a relaxed one, for a change of all memory, and would read the object's value from
  // memory after each: in a loop that costs more than the load (1.4 times the loop of bench/). A volatile load of an aligned
  // word is the same instruction.
  std::uint32_t wanted() const {
#ifdef __SANITIZE_THREAD__
    return object_->wanted.load(std::memory_order_relaxed);
#else
    return *reinterpret_cast<const volatile std::uint32_t*>(&object_->wanted);
#endif
  }

  Monitor* monitor_;
  const Object* object_;
};

}  // namespace dpm::monitor

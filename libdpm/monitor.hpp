// The link between a program and the monitor that looks at it (S3 3.5). A program declares one, in global scope:
//
//   dpm::monitor::Monitor monitor;
//   dpm::monitor::Integer<int> i(&monitor, "main", "i", 0);
//
// Without a monitor nothing is recorded, and each use of an object costs one load. The program never waits for a monitor,
// except for at most kRegistrationWait where an object with a new name is declared while one looks: that is when it learns
// which of the object's events are wanted. It survives the monitor's death at any moment.
//
// fork() needs no special call: the child is a process of its own, with the same objects. exec() starts again.
#pragma once

#include <chrono>
#include <cstdint>
#include <dpm/monitor/layout.hpp>

namespace dpm::monitor {

inline constexpr std::chrono::milliseconds kRegistrationWait{1000};

// S3 3.6, the first level of control.
enum class Connect : bool { kNo, kYes };

class Monitor {
 public:
  // Never fails for the caller: why a program is not connected, is in reason().
  // `program` is the name by which scripts know the program, in place of its file's: for one that an interpreter runs.
  explicit Monitor(Connect connect = Connect::kYes, const char* program = nullptr);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

  bool is_connected() const { return is_connected_; }
  // Why not: a constant text, or "" when it is.
  const char* reason() const { return reason_; }

  // For objects: the entry with this kind, function and name; a second declaration finds the first one's.
  const Object* object(Kind kind, const char* function, const char* name, bool is_signed);
  void record(const Object& object, Action action, std::int64_t value);

 private:
  const Object* find_or_add(Kind kind, const char* function, const char* name, bool is_signed);

  bool is_connected_ = false;
  const char* reason_;
};

}  // namespace dpm::monitor

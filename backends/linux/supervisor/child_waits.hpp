// Which processes wait for their children, and which children have ended and are not yet reaped: the bookkeeping of
// child_wait_calls.hpp. Its size is the number of waiting calls and of zombie children.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "model/ids.hpp"
#include "model/time.hpp"
#include "os/kernel/children.hpp"

namespace dpm {

struct TrackedThread;

struct EndedChild {
  ProcessId process;
  ChildState state;  // as far as it could be read when it had ended
  LocalTime ended_at;
  bool reported = false;  // a WAIT for its end has been recorded
};

class ChildWaits {
 public:
  // ---- threads that wait, by the id of their process
  void add(std::uint32_t pid, TrackedThread& thread);
  void remove(std::uint32_t pid, TrackedThread& thread);
  std::vector<TrackedThread*> of(std::uint32_t pid) const;
  std::vector<TrackedThread*> all() const;
  bool none() const { return waiting_.empty(); }

  // ---- children that have ended
  void ended(std::uint32_t pid, const EndedChild& child) { ended_[pid] = child; }
  EndedChild* find(std::uint32_t pid);
  void gone(std::uint32_t pid) { ended_.erase(pid); }

  // ---- parents whose waiting calls must be looked at, because a child has ended
  void look_at(std::uint32_t parent_pid);
  std::vector<std::uint32_t> take_looks();

 private:
  std::unordered_map<std::uint32_t, std::vector<TrackedThread*>> waiting_;
  std::unordered_map<std::uint32_t, EndedChild> ended_;
  std::vector<std::uint32_t> looks_;
};

}  // namespace dpm

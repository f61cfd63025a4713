// How far a thread's calls have got, as far as the kernel tells: whether the thread may still be in a call, and what
// its I/O counters tell of the last one.
#pragma once

#include <cstdint>

#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class CallProgress {
 public:
  explicit CallProgress(Shared& shared) : shared_(shared) {}

  // Whether the thread may be in a call on this descriptor, or has just been woken in it.
  bool may_be_in_call(TrackedThread& thread, std::int32_t descriptor);
  // Forgets the sends that are over, though their threads have made no call since. False if there was none.
  bool forget_finished(StreamBalance& sends);
  void read_counters(TrackedThread& thread);
  // Of a thread that has ended.
  void read_last_counters(TrackedThread& thread);

 private:
  Shared& shared_;
};

}  // namespace dpm

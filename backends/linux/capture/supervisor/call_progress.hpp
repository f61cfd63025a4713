// How far the calls of a thread have got, as far as the kernel tells: whether it may still be in one, and what its I/O
// counters say of the last.
#pragma once

#include <cstdint>

#include "backends/linux/capture/supervisor/shared.hpp"

namespace dpm {

class CallProgress {
 public:
  explicit CallProgress(Shared& shared) : shared_(shared) {}

  // Whether it may be in a call on this descriptor, or has just been woken in it.
  bool may_be_in_call(TrackedThread& thread, std::int32_t descriptor);
  void read_counters(TrackedThread& thread);
  // Of a thread that has ended.
  void read_last_counters(TrackedThread& thread);

 private:
  Shared& shared_;
};

}  // namespace dpm

// When to write events to the trace that its last packet has room for: soon after the first of them, also if no more come,
// so that a viewer of the trace sees what happened. Nothing runs while no events come.
#pragma once

#include <atomic>

#include "os/unique_fd.hpp"

namespace dpm::cli {

class FlushTimer {
 public:
  FlushTimer();

  // An event waits. Costs a system call only if none waited.
  void arm();
  // Becomes readable when the waiting events are due. -1: the system gave no timer, and they are written when more events come.
  int fd() const { return timer_.get(); }
  // It was readable.
  void take();

 private:
  UniqueFd timer_;
  std::atomic<bool> armed_{false};
};

}  // namespace dpm::cli

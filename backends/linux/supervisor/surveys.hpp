// Surveys of metered processes, which take milliseconds: for ways past the meter, and for files that were closed. They
// run without the supervisor's lock, so that calls go on meanwhile.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "backends/linux/supervisor/process_tracker.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class Surveys {
 public:
  // `mutex` is the supervisor's lock.
  Surveys(std::mutex& mutex, Shared& shared, ProcessTracker& tracker)
      : mutex_(mutex), shared_(shared), tracker_(tracker) {}

  // Makes the surveys that are due. Do not call this with the lock held.
  void look();

 private:
  void look_for_bypasses();
  void look_at_open_files();

  std::mutex& mutex_;
  Shared& shared_;
  ProcessTracker& tracker_;
};

}  // namespace dpm

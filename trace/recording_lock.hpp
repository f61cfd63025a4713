// A recorder holds a lock on its trace directory (flock(2) on the directory itself), which the kernel releases however
// the recorder ends. So a reader can distinguish a trace that is being recorded from one whose recorder was killed.
#pragma once

#include <string>

#include "model/result.hpp"

namespace dpm {

class RecordingLock {
 public:
  RecordingLock() = default;  // holds nothing
  static Result<RecordingLock> hold(const std::string& directory);
  RecordingLock(RecordingLock&& other) noexcept;
  RecordingLock& operator=(RecordingLock&& other) noexcept;
  ~RecordingLock();

  void release();

 private:
  explicit RecordingLock(int fd) : fd_(fd) {}
  int fd_ = -1;
};

// True if a process is recording into it now. Where locks are not available (some network file systems), false.
bool is_being_recorded(const std::string& directory);

}  // namespace dpm

// Who records into a trace directory holds a lock on it (flock(2) on the directory itself), which the kernel takes back
// however the recorder ends. So a reader can tell a trace that is being recorded from one whose recorder was killed.
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

// Somebody is recording into it now. Where locks cannot be had (some network file systems) nobody seems to.
bool is_being_recorded(const std::string& directory);

}  // namespace dpm

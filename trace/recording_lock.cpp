#include "trace/recording_lock.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <utility>

namespace dpm {
namespace {

int open_directory(const std::string& directory) {
  return ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

}  // namespace

Result<RecordingLock> RecordingLock::hold(const std::string& directory) {
  const int fd = open_directory(directory);
  if (fd < 0) return Error::from_errno("open " + directory);
  // A reader that holds the lock now releases it in a moment. Without locks the recording continues all the same.
  while (::flock(fd, LOCK_EX) != 0 && errno == EINTR) {
  }
  return RecordingLock(fd);
}

RecordingLock::RecordingLock(RecordingLock&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}

RecordingLock& RecordingLock::operator=(RecordingLock&& other) noexcept {
  std::swap(fd_, other.fd_);
  return *this;
}

RecordingLock::~RecordingLock() { release(); }

void RecordingLock::release() {
  if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

bool is_being_recorded(const std::string& directory) {
  const int fd = open_directory(directory);
  if (fd < 0) return false;
  const bool held = ::flock(fd, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  ::close(fd);
  return held;
}

}  // namespace dpm

// Descriptors of this process: copies, the standard streams, and how many there may be.
#pragma once

#include <array>
#include <vector>

#include "os/unique_fd.hpp"

namespace dpm {

// A copy above the standard streams, closed at exec.
UniqueFd duplicate(int fd);

// Replaces our standard input, output and error, and restores them when it is destroyed.
class BorrowedStandardStreams {
 public:
  explicit BorrowedStandardStreams(const std::array<int, 3>& streams);
  BorrowedStandardStreams(const BorrowedStandardStreams&) = delete;
  BorrowedStandardStreams& operator=(const BorrowedStandardStreams&) = delete;
  ~BorrowedStandardStreams();

 private:
  std::array<UniqueFd, 3> ours_;
};

// Raises this process's limit to its hard limit, and as root to at least `least`.
void allow_many_descriptors(unsigned long least = 0);

// Closes all above the standard streams but these.
void close_descriptors_but(std::vector<int> kept);

}  // namespace dpm

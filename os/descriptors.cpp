#include "os/descriptors.hpp"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>

namespace dpm {

UniqueFd duplicate(int fd) { return UniqueFd(::fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)); }

BorrowedStandardStreams::BorrowedStandardStreams(const std::array<int, 3>& streams) {
  for (std::size_t i = 0; i < streams.size(); ++i) {
    ours_[i] = duplicate(static_cast<int>(i));
    ::dup2(streams[i], static_cast<int>(i));
  }
}

BorrowedStandardStreams::~BorrowedStandardStreams() {
  for (std::size_t i = 0; i < ours_.size(); ++i) ::dup2(ours_[i].get(), static_cast<int>(i));
}

void allow_many_descriptors(unsigned long least) {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t wanted = std::max<rlim_t>(limit.rlim_max, least);
  const rlimit raised = {wanted, wanted};
  if (::setrlimit(RLIMIT_NOFILE, &raised) == 0) return;
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
}

void close_descriptors_but(std::vector<int> kept) {
  std::sort(kept.begin(), kept.end());
  unsigned from = STDERR_FILENO + 1;
  for (const int fd : kept) {
    const auto next = static_cast<unsigned>(fd);
    if (next < from) continue;
    if (next > from) ::syscall(SYS_close_range, from, next - 1, 0);
    from = next + 1;
  }
  ::syscall(SYS_close_range, from, ~0u, 0);
}

}  // namespace dpm

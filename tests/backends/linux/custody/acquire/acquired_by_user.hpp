// Acquiring as another account, and under restrictions: in a child process, which then supervises.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backends/linux/custody/acquire/acquire.hpp"

namespace dpm {

inline constexpr uid_t kNobody = 65534;

class AcquiredByUser {
 public:
  // `restrict` runs in the child, as root, before it becomes `user`.
  AcquiredByUser(
      uid_t user, std::uint32_t pid, const AcquireOptions& options = {}, const std::function<void()>& restrict = [] {});
  AcquiredByUser(const AcquiredByUser&) = delete;
  ~AcquiredByUser();  // ends the supervisor, so that the keeper answers

  // "acquired", "acquired, privileges given up", or the reason why not.
  const std::string& outcome() const { return outcome_; }

 private:
  pid_t child_ = -1;
  std::string outcome_;
};

// Refuses the calls named with EPERM to the calling process, as a container does.
void forbid_calls(const std::vector<int>& calls);

}  // namespace dpm

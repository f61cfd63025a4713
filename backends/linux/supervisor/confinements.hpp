// Programs that confine themselves with seccomp in a way that the kernel refuses because of the meter's filter. Strict
// mode is replaced by one that has the same effect (os/kernel/strict_mode.hpp). Warnings name every one.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class Confinements {
 public:
  explicit Confinements(Shared& shared) : shared_(shared) {}

  CallOutcome confine(const Notification& notification, const TrackedThread& thread);
  std::vector<std::string> warnings() const;

 private:
  Shared& shared_;
  std::set<std::string> in_strict_mode_, refused_, without_listener_;  // names of processes
};

}  // namespace dpm

// A process that holds the record of what a scheduler has changed, and puts everything back when the scheduler has ended: at its own
// wish, or killed at any moment.
//
//     scheduler ── a line of the record ──► guard ── "ok" ──► scheduler may change it
//     socket closed, or scheduler's process gone ──► AffinityRecord::restore_all(), the result as a line, end
#pragma once

#include <string>

#include "model/result.hpp"
#include "os/unique_fd.hpp"
#include "scheduling/placing/affinity_record.hpp"

namespace dpm {

class AffinityGuard {
 public:
  // Of the calling process.
  static Result<AffinityGuard> start();

  // Returns when the guard has it. After an error nothing may be changed any more: there is no guard.
  Result<void> note(const std::string& line);

  // Everything is put back when this returns.
  Result<RestoredThreads> end();

 private:
  explicit AffinityGuard(UniqueFd connection) : connection_(std::move(connection)) {}

  UniqueFd connection_;
};

// What the guard does, until the other end of `connection` is closed or `scheduler`, a pidfd, has ended.
void guard_affinities(UniqueFd connection, UniqueFd scheduler, AffinityCalls& calls);

}  // namespace dpm

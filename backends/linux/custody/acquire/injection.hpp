// Gives a running process its filter from outside: stops one of its threads, makes it perform the calls of
// injected_code.hpp, and lets it go on unchanged.
//
// What remains if we are killed, after each step:
//
//     stop()     The thread goes on where it was, and makes its interrupted call again.
//     divert()   Its registers point to the injected code, which performs all calls and returns by itself.
//     install()  The same from there on. The filter is in force; the program holds its listener, so that its calls wait
//                for a supervisor and do not fail. (If the process that wants to meter is
//                dead, the injector starts a keeper: injector.hpp.)
//     keep()     The same.
//     restore()  Everything is as before.
//
// Two cases are not covered. Between the thread's stop and the correction of its registers, a few calls (epoll_wait, see
// interrupted_call.hpp) fail with EINTR, as they do after SIGSTOP and SIGCONT. And the process's own filters, which are
// suspended while we trace it, take effect again: they may kill it for the remaining injected calls.
//
// Runs in a process that does nothing else.
#pragma once

#include <sys/user.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/linux/custody/acquire/injected_code.hpp"
#include "backends/linux/custody/acquire/target.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
#include "os/kernel/traced_thread.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

class Injection {
 public:
  Injection(const AcquireTarget& target, std::vector<SeccompInstruction> filter)
      : target_(target), filter_(std::move(filter)) {}
  ~Injection() { restore(); }

  Result<void> stop(Duration patience);
  Result<void> divert();
  Result<UniqueFd> install(bool allow_no_new_privileges);  // returns the listener
  Result<void> keep();
  // Undoes the steps that were made, in reverse order.
  void restore();

  bool privileges_given_up() const { return privileges_given_up_; }

 private:
  std::optional<Error> may_borrow();
  Result<void> seize_next();
  void find_stopped();
  Result<void> check_stopped() const;
  std::optional<std::int64_t> make_call();
  bool go_to(std::uint64_t address);

  const AcquireTarget& target_;
  const std::vector<SeccompInstruction> filter_;
  UniqueFd process_;
  UniqueFd reserved_;  // keeps a descriptor free for the listener
  std::vector<TracedThread> seized_;
  std::size_t gone_ = 0, ended_ = 0;   // threads that ended before they were seized, and while they were
  TracedThread* thread_ = nullptr;     // the one of them that has stopped
  user_regs_struct registers_ = {};    // with which it goes on
  std::uint64_t blocked_signals_ = 0;  // that it had blocked
  std::uint64_t address_ = 0;
  InjectedCode code_;
  std::vector<std::byte> overwritten_;
  bool diverted_ = false, between_calls_ = false;
  bool privileges_given_up_ = false;
};

}  // namespace dpm

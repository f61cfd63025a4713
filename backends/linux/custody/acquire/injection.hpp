// Gives a running process its filter, from the outside: one of its threads is stopped, makes the few calls of
// injected_code.hpp, and is let go on as if nothing had been.
//
// What remains if we are killed, after each step:
//
//     stop()     The thread is let go where it was, and makes its interrupted call again.
//     divert()   Its registers point to the injected code, which takes it all the way and back by itself.
//     install()  The same from there on. The filter is in force; the program holds its listener, so that its calls wait
//                for a supervisor and do not fail. (The process that does this is not the one that wants to meter, and
//                answers if that is dead: injector.hpp.)
//     keep()     The same.
//     restore()  All is as it was.
//
// Of stop(), the moment between the thread's stop and the correction of its registers is not covered: a few calls
// (epoll_wait, see interrupted_call.hpp) fail with EINTR then, as they do after SIGSTOP and SIGCONT. And a
// process with filters of its own, which are suspended while we trace it, meets them again: they may kill it for the
// injected calls that are left.
//
// Runs in a process that does nothing else.
#pragma once

#include <sys/user.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "backends/linux/capture/kernel/traced_thread.hpp"
#include "backends/linux/custody/acquire/injected_code.hpp"
#include "backends/linux/custody/acquire/target.hpp"
#include "model/result.hpp"
#include "model/time.hpp"
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
  // From wherever we are, in the reverse order. Nothing is left to do after it.
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
  UniqueFd reserved_;  // so that there is a descriptor for the listener
  std::vector<TracedThread> seized_;
  std::size_t gone_ = 0, ended_ = 0;   // threads that ended before they were seized, and while they were
  TracedThread* thread_ = nullptr;     // of those, the one that has stopped
  user_regs_struct registers_ = {};    // with which it goes on
  std::uint64_t blocked_signals_ = 0;  // that it had blocked
  std::uint64_t address_ = 0;
  InjectedCode code_;
  std::vector<std::byte> overwritten_;
  bool diverted_ = false, between_calls_ = false;
  bool privileges_given_up_ = false;
};

}  // namespace dpm

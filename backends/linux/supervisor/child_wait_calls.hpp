// wait4() and waitid(): a parent that waits for a child depends on the child's end as on a message.
//
//     parent  wait4() ......held......  WAIT, let go ── takes note of the end
//     child   ────────────────── end ▲
//                                    └ its CPU clock is read: until the parent's call goes on, the dead child stays
//
// A call is held until the kernel would let it return. It is not held when its process catches SIGCHLD: the signal
// would interrupt the call before the supervisor can let it go, and a handler without SA_RESTART would make the call
// return EINTR where it would return the child without a meter. Only programs that are known to repeat such a call are
// held same, and only where their children's CPU time cannot be known otherwise. Other calls are let go at once.
//
// A call that does not wait (WNOHANG) is held only while a child that it may take is ending, and for milliseconds at
// most: otherwise the child may be gone between the supervisor's look and the kernel's, and the time in which its memory
// was freed is in no counter.
//
// Which child a call takes is certain only if no other can be taken instead: the kernel takes the first in its own
// order that has ended when it makes the call, which may be one that ran when the supervisor looked. Otherwise it shows
// afterwards, by the child that is gone: at the thread's next call, or at the next look around.
#pragma once

#include <cstdint>
#include <vector>

#include "backends/linux/supervisor/call_inspector.hpp"
#include "backends/linux/supervisor/child_waits.hpp"
#include "backends/linux/supervisor/held_calls.hpp"
#include "backends/linux/supervisor/process_tracker.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class ChildWaitCalls {
 public:
  ChildWaitCalls(Shared& shared, CallInspector& inspector, ProcessTracker& tracker, HeldSlots& slots)
      : shared_(shared), inspector_(inspector), tracker_(tracker), child_waits_(tracker.child_waits()), slots_(slots) {}

  CallOutcome wait_for_child(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);

  // The thread makes another call: its wait is over, returned or interrupted by a signal. It may have returned because
  // of a child whose end is announced a moment later. False if the thread itself has ended meanwhile.
  bool is_past_wait(std::uint32_t tid);
  // Calls whose process has lost a child since.
  void settle();
  // A call that was let go returns because this child of its process has ended and is gone.
  void infer(std::uint32_t parent_pid, const ChildState& child);
  // Signals end a hold without a message, announcements can be lost, and children stop for their tracers. So this looks
  // again, from time to time, for what would let a held call return.
  void check(std::int64_t now_ns);

  // Nothing more will show which child its call took.
  void thread_ends(TrackedThread& thread);
  void end(TrackedThread& thread);
  bool go_on(TrackedThread& thread);  // its wait is held

 private:
  struct Look {
    std::vector<std::uint32_t> ended;  // children that the call may reap, in its order
    bool some_run = false;             // other children run
    bool some_end = false;             // of these, some will have ended in a moment
    std::size_t looked_at = 0;
    bool all_known = true;  // all of them are metered
    bool order_is_known = true;
    bool runs_before = false;  // one that runs comes before the first that has ended: the call takes it if it ends now
    bool traced = false;       // one is stopped for its tracer

    // The call takes the first of `ended`.
    bool is_certain() const { return order_is_known && !runs_before; }
  };
  WaitRequest request_of(const Notification& notification, TrackedThread& thread);
  std::uint32_t our_number(TrackedThread& thread, std::uint32_t number, InnerNumbers which);
  ChildWait wait_of(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  bool may_hold(TrackedThread& thread, const WaitRequest& request, const ThreadFiles::ChildHandling& handling);
  bool hold(TrackedThread& thread);
  Look look_at_children(TrackedThread& thread, const WaitRequest& request, std::uint32_t own_group, bool surely);
  void look_at_child(TrackedThread& thread, const WaitRequest& request, std::uint32_t own_group,
                     std::uint32_t candidate, Look& look);
  void take_note(TrackedThread& thread, std::uint32_t child_pid, Evidence evidence);
  void settle_wait(TrackedThread& thread);
  void let_kernel_decide(TrackedThread& thread);
  void go_on_to_take(TrackedThread& thread, const Look& look);
  bool take_reaped(TrackedThread& thread);
  void end_reaped(TrackedThread& thread);
  std::uint32_t likely_child(const TrackedThread& thread);
  bool is_gone(std::uint32_t child_pid, std::uint32_t parent_pid);
  TrackedThread* taker_of(std::uint32_t parent_pid, const ChildState& child);
  static bool takes_if_there(const ChildWait& wait);
  bool has_taken(const TrackedThread& thread);
  std::uint64_t reaped_faults(const TrackedThread& thread);
  void note_unseen_child(const TrackedThread& thread);
  std::uint32_t status_taken(const ChildWait& wait);
  bool may_be_announced_yet(const Kinship& kinship) const;

  Shared& shared_;
  CallInspector& inspector_;
  ProcessTracker& tracker_;
  ChildWaits& child_waits_;  // of the tracker
  HeldSlots& slots_;
};

}  // namespace dpm

// Decides what a notification means: which thread's call it is, what became of the thread's last call, and which part
// handles a call of this kind. It asks the kernel through Shared only, so that tests drive it with scripted
// notifications (tests/backends/linux/supervisor).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "backends/linux/supervisor/child_wait_calls.hpp"
#include "backends/linux/supervisor/confinements.hpp"
#include "backends/linux/supervisor/path_calls.hpp"
#include "backends/linux/supervisor/receive_calls.hpp"
#include "backends/linux/supervisor/unsettled_events.hpp"

namespace dpm {

class CallHandler : private ProcessObserver {
 public:
  // The notifications of held calls are kept in `slots`, and their files are watched in `epoll_fd`. `wake` wakes the
  // thread that attends to them.
  CallHandler(Shared& shared, const ProcessTracker::Terms& terms, NotificationSlots& slots, int epoll_fd,
              std::function<void()> wake);

  CallOutcome handle(const Notification& notification);
  // A call was to be let go, and did not wait any more.
  void was_taken_away(const Notification& notification);

  // ---- between calls
  HeldCalls& held() { return held_; }
  ProcessTracker& tracker() { return tracker_; }
  // Looks at everything that may have become known, or due, since the last time.
  void look_around(std::int64_t now_ns);
  void read_closed_sockets();
  // Calls have bypassed the meter: lets every held call go on. Returns their number.
  std::uint64_t pass_all();
  // The meter ends: lets every held call go on.
  void finish();

  std::uint64_t unlooked_calls() const { return inspector_.unlooked_calls(); }
  std::vector<std::string> warnings() const;

 private:
  bool may_have_executed(const TrackedThread& thread) const;
  TrackedThread* thread_of(const Notification& notification, const MeteredCall* shape);
  bool last_call_is_over(const Notification& notification, const MeteredCall* shape, TrackedThread& thread);
  bool is_made_again(const Notification& notification, const MeteredCall& shape, const TrackedThread& thread) const;
  bool must_fail(const MeteredCall& shape, TrackedThread& thread, bool again) const;
  CallOutcome give(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);
  void note_32_bit_call(const Notification& notification, TrackedThread& thread);
  CallOutcome dispatch(const Notification& notification, const MeteredCall& shape, TrackedThread& thread);

  // ProcessObserver
  void thread_ends(TrackedThread& thread, bool number_goes_on) override;
  void program_changes(TrackedThread& thread) override;
  void forget_thread(TrackedThread& thread) override;
  void child_is_gone(std::uint32_t parent_pid, const ChildState& child) override;
  void news_are_read() override;

  Shared& shared_;
  ProcessTracker tracker_;
  CallInspector inspector_;
  HeldCalls held_;
  RestartedCalls restarts_;
  Sends sends_;
  ReceiveCalls receives_;
  ChildWaitCalls waits_;
  PathCalls path_calls_;
  Confinements confinements_;
  UnsettledEvents unsettled_;
};

}  // namespace dpm

// Receives and accepts that the supervisor holds until their data is there: which they are, in which order they come,
// and how long they wait. Receives (receives.hpp) decides what becomes of each; a held call ends in one of these ways:
//
//     its file becomes readable       fired()         the oldest call that waits for this data is looked at
//     its turn may have come          look_again()    likewise, a moment later
//     its time limit is over          fail_late()     EAGAIN
//     a signal has interrupted it     interrupt()     it is remembered: the thread may make it again
//     its descriptor was replaced     check()         it goes on, and the kernel decides what that means
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <vector>

#include "backends/linux/supervisor/held_slots.hpp"
#include "backends/linux/supervisor/hold_table.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class HeldCalls {
 public:
  // Files are watched in `epoll_fd`. `wake` wakes the attending thread, which sleeps until the earliest deadline it
  // knows.
  HeldCalls(Shared& shared, HeldSlots& slots, int epoll_fd, std::function<void()> wake);
  // `look` decides what becomes of a held call when data may have come for it.
  void looked_at_by(std::function<void(TrackedThread&)> look) { look_ = std::move(look); }

  // False if it cannot be held.
  bool hold(TrackedThread& thread, const Asking& asking, int fd);
  void watch_again(TrackedThread& thread, int fd) { table_.watch_again(thread.hold->ticket, fd); }
  void look_again_soon(TrackedThread& thread) { look_again_.insert(HoldTable::data_of(thread.hold->ticket)); }
  void look_again_now(TrackedThread& thread);  // the attending thread sleeps

  // ---- its end
  void end(TrackedThread& thread);
  void interrupt(TrackedThread& thread);
  // True if it does not wait any more; then it was interrupted.
  bool was_taken_away(TrackedThread& thread);
  bool go_on(TrackedThread& thread);
  void fail(TrackedThread& thread, int error_number);

  // ---- when to look
  bool others_wait_for(std::uint64_t file) const { return waiting_for_.contains(file); }
  // The oldest call that waits for this file's data is looked at.
  void may_take(std::uint64_t file);
  // By the data of a watch.
  void fired(std::uint64_t data);
  bool are_to_be_looked_at() const { return !look_again_.empty(); }
  std::set<std::uint64_t> take_looks() { return std::exchange(look_again_, {}); }
  std::int64_t next_deadline_ns() const;  // 0: none
  void fail_late(std::int64_t now_ns);
  // Signals and close() by another thread end a hold without making its descriptor readable. Each time this looks at a
  // few held calls, so that all of them get their turn.
  void check();
  // Whether the call's descriptor is still the same file as when the call was made; `fd` borrows it.
  bool is_same_file(TrackedThread& thread, UniqueFd& fd);

 private:
  Shared& shared_;
  HeldSlots& slots_;
  HoldTable table_;
  std::function<void()> wake_;
  std::function<void(TrackedThread&)> look_;
  std::map<std::uint32_t, TrackedThread*> by_place_;                            // by their place in the table
  std::unordered_map<std::uint64_t, std::vector<TrackedThread*>> waiting_for_;  // by socket or pipe, the oldest first
  std::uint32_t next_to_check_ = 0;                                             // a place
  std::set<std::uint64_t> look_again_;  // the data of their watches: what they found may be another call's
};

}  // namespace dpm

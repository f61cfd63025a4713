// Receives and accepts that the supervisor holds instead of the kernel until their data is there, so that a RECEIVE is
// recorded when its data is there and not when it was asked for: which calls these are, in which order they come, and
// how long they wait. ReceiveCalls (receive_calls.hpp) decides what becomes of each; a held call ends in one of these ways:
//
//     its file becomes readable       fired()         the oldest call that waits for this data is inspected
//     its turn may have come          inspect_soon()  likewise, a moment later
//     its time limit is over          fail_late()     EAGAIN
//     a signal has interrupted it     interrupt()     it is remembered: the thread may make it again
//     its descriptor was replaced     check()         it goes on, and the kernel decides what that means
//     too many are held               let_wait()      it goes on and waits in the kernel, and its file stays watched
//
// The last is for the kernel's sake. It keeps unanswered notifications in a list, in the order in which they came, and
// walks it from the oldest for each notification that it hands over, and for each answer: every held call makes every
// other call slower (by 25 ns for each walk). So only the youngest are held. The oldest of those whose share shows
// afterwards, in the offset of their stream or in their thread's counters, wait in the kernel as without a meter. They
// are recorded when their watch fires, like held ones, by what they have taken already, or are about to take.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "backends/linux/supervisor/shared.hpp"
#include "backends/linux/supervisor/tracked_thread.hpp"
#include "model/result.hpp"
#include "os/kernel/notification_slots.hpp"
#include "os/unique_fd.hpp"

namespace dpm {

// The slots that hold the notifications of held calls, so that the keeper can let these calls go on when the meter is
// dead (os/kernel/notification_slots.hpp). The first slot is for the call that is being served.
class HeldSlots {
 public:
  explicit HeldSlots(NotificationSlots& slots) : slots_(slots) {
    for (std::size_t slot = NotificationSlots::kSlots; slot-- > 1;) free_.push_back(slot);
  }

  // Nothing if all slots are taken: then the call must not be held.
  std::optional<std::size_t> keep(const Notification& notification) {
    if (free_.empty()) return std::nullopt;
    const std::size_t slot = free_.back();
    free_.pop_back();
    slots_[slot] = notification;
    return slot;
  }
  void clear(std::size_t slot) {
    slots_[slot] = {};
    free_.push_back(slot);
  }
  bool has_room() const { return !free_.empty(); }

 private:
  NotificationSlots& slots_;
  std::vector<std::size_t> free_;
};

// The watches of held calls.
//
// A held call's socket is watched by a *weak* reference: its duplicate is put into an epoll set and closed at once.
// Events still arrive, and when the program closes its last descriptor the kernel removes the entry: peers see closing,
// exit and end of file as without a meter. A later change of the entry needs the same file at the same descriptor
// number, so every hold has its own number, which a placeholder keeps between uses.
//
// A signal ends a hold without a message, and its entry may fire later. Generations tell such firings apart.
class HoldTable {
 public:
  static constexpr std::size_t kWatchesMax = 16'000;

  // Watches are registered in `epoll_fd`; data_of() makes their data.
  explicit HoldTable(int epoll_fd) : epoll_fd_(epoll_fd) {}

  static std::uint64_t data_of(HoldTicket ticket) {
    return static_cast<std::uint64_t>(ticket.generation) << 32 | ticket.place | kIsHold;
  }
  static bool is_hold(std::uint64_t data) { return (data & kIsHold) != 0; }
  static HoldTicket ticket_of(std::uint64_t data) {
    return {static_cast<std::uint32_t>(data & (kIsHold - 1)), static_cast<std::uint32_t>(data >> 32)};
  }

  // Begins to watch `borrowed` for reading. Nothing when the table is full, or the file cannot be watched.
  Result<HoldTicket> watch(int borrowed);
  // Watches again after it fired once.
  bool watch_again(HoldTicket ticket, int borrowed);
  // The place is free for another hold.
  void release(HoldTicket ticket);
  bool is_current(HoldTicket ticket) const {
    return ticket.place < places_.size() && places_[ticket.place].generation == ticket.generation;
  }

 private:
  static constexpr std::uint64_t kIsHold = 1u << 31;
  struct Place {
    UniqueFd number;  // a placeholder that reserves the number
    std::uint32_t generation = 1;
  };
  bool add_place();
  bool register_watch(std::uint32_t place, int borrowed);

  int epoll_fd_ = -1;
  std::vector<Place> places_;
  std::vector<std::uint32_t> free_;
};

class HeldCalls {
 public:
  // Notifications are kept in `slots`, and files are watched in `epoll_fd`. `wake` wakes the attending thread, which
  // sleeps until the earliest deadline it knows.
  HeldCalls(Shared& shared, NotificationSlots& slots, int epoll_fd, std::function<void()> wake)
      : shared_(shared), slots_(slots), table_(epoll_fd), wake_(std::move(wake)) {}
  // `inspect` decides what becomes of a held call when data may have come for it.
  void inspect_with(std::function<void(TrackedThread&)> inspect) { inspect_ = std::move(inspect); }

  // More calls are held only if they may not wait in the kernel.
  static constexpr std::size_t kHeldMost = 64;

  // False if it cannot be held. `may_wait`: what it takes will show afterwards, so it may wait in the kernel instead.
  bool hold(TrackedThread& thread, const ReceiveRequest& request, int fd, bool may_wait);
  void watch_again(TrackedThread& thread, int fd) { table_.watch_again(thread.hold->ticket, fd); }
  void inspect_soon(TrackedThread& thread) { to_inspect_.insert(HoldTable::data_of(thread.hold->ticket)); }
  void inspect_now(TrackedThread& thread);  // the attending thread sleeps

  // ---- its end, also of one that waits in the kernel
  Hold end(TrackedThread& thread);
  void interrupt(TrackedThread& thread);
  // Of a held call. True if it does not wait any more; then it was interrupted.
  bool was_taken_away(TrackedThread& thread);
  bool go_on(TrackedThread& thread);
  void fail(TrackedThread& thread, int error_number);

  // ---- when to inspect
  bool others_wait_for(std::uint64_t file) const { return waiting_for_.contains(file); }
  // Data is being sent for it, at this time. A call that waits in the kernel may have taken it before its watch is
  // looked at: then the watch does not fire.
  void may_come(std::uint64_t file, LocalTime time);
  // The oldest call that waits for this file's data is inspected.
  void may_take(std::uint64_t file);
  // By the data of a watch.
  void fired(std::uint64_t data);
  bool has_to_inspect() const { return !to_inspect_.empty(); }
  std::set<std::uint64_t> take_to_inspect() { return std::exchange(to_inspect_, {}); }
  std::int64_t next_deadline_ns() const;  // 0: none
  void fail_late(std::int64_t now_ns);
  // Signals and close() by another thread end a hold without making its descriptor readable. Each time this checks a
  // few held calls, so that all of them get their turn.
  void check();
  // Whether the call's descriptor is still the same file as when the call was made; `fd` borrows it.
  bool is_same_file(TrackedThread& thread, UniqueFd& fd);

  HeldSlots& slots() { return slots_; }

 private:
  using ByAge = std::map<std::uint64_t, TrackedThread*>;  // by Hold::number
  void let_oldest_wait();
  void let_wait(TrackedThread& thread);
  void leave_list(TrackedThread& thread, const Hold& hold);

  Shared& shared_;
  HeldSlots slots_;
  HoldTable table_;
  std::function<void()> wake_;
  std::function<void(TrackedThread&)> inspect_;
  std::uint64_t held_so_far_ = 0;
  ByAge held_;                                                                  // in the kernel's list
  ByAge may_wait_;                                                              // of these, as far as is known
  std::unordered_map<std::uint32_t, TrackedThread*> by_place_;                  // by their place in the table
  std::unordered_map<std::uint64_t, std::vector<TrackedThread*>> waiting_for_;  // by socket or pipe, the oldest first
  std::set<std::pair<std::int64_t, TrackedThread*>> deadlines_;                 // of held calls
  std::uint64_t next_to_check_ = 0;                                             // a number
  std::set<std::uint64_t> to_inspect_;  // the data of their watches: what they found may be another call's
};

}  // namespace dpm

// Where one end of a byte stream stands, and the operations there whose length is not known yet.
//
// An operation is recorded when it is asked for, with its probable length. What it really moved is the difference
// between the stream's offsets before it and before the next operation:
//
//     call           asked for    offset before    really moved
//     write            4096           1000              96      a partial write: the next one starts at 1096
//     write            4000           1096            4000
//     (the meter was passed by: 50 bytes)                       a GAP
//     write             100           5146             ...
//
// Sockets that tell their offset (TCP) are `exact`; for pipes and UNIX sockets offsets are counted here, from what the
// thread's I/O counters say or the waiting bytes show.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <vector>

#include "backends/linux/calls/metered_thread.hpp"

namespace dpm {

struct OpenOperation {
  MeteredThread* thread = nullptr;
  FlowEnd end;                     // where it is
  std::uint64_t event = 0;         // its number there
  std::uint64_t call_number = 0;   // MeteredThread::call_number, when it was made
  std::uint64_t asked = 0;         // it cannot move more
  std::uint64_t probable = 0;      // what it will move, as far as was seen; if it moves more, more came meanwhile
  std::uint64_t stood_at = 0;      // the offset of an exact stream then, as the kernel told it
  bool told_by_other_end = false;  // the operation of the same call at the other end of a transfer
  bool tells_other_end = false;
  bool shows_in_pipe = false;    // what waits in the pipe will tell what it moved
  bool guessed = false;          // `probable` was not seen waiting: it may be more than the stream has
  std::int32_t descriptor = -1;  // in its thread, to look again
  std::int32_t first_argument = -1;
};

class StreamPosition {
 public:
  struct Gap {
    std::uint64_t offset = 0, length_bytes = 0;
  };

  // For streams whose offsets are counted here: they begin at 0.
  void begin_at_zero() { begin_at(0); }
  void begin_at(std::uint64_t offset) {
    next_ = offset;
    seen_ = true;
  }

  // The next operation begins at `offset`. The bytes before it finish the open operations; bytes that none of them can
  // have moved are a gap (length 0: none). An operation that may still be in progress, because its thread has not been
  // seen since, stays open, and so does everything after it.
  Gap settle_at(std::uint64_t offset, const MeteredThread* by);

  // The socket is closed, with its stream at `offset`: no operation is in progress any more, and all are checked.
  Gap end_at(std::uint64_t offset);

  // The call was not carried out: its open operation moves nothing. False if the operation is not open.
  bool take_back(const MeteredThread* thread, std::uint64_t call_number);
  // The open operation of the thread moved `bytes`. Operations are finished in the order of the calls.
  void settle(const MeteredThread* thread, std::uint64_t bytes);
  // Nothing will tell the lengths any more: every open operation of this thread moved what it probably would, and a
  // guess does not reach beyond `stream_end`.
  void accept(const MeteredThread* thread, std::uint64_t stream_end = UINT64_MAX);
  // The stream is over: the same for the open operations of every thread.
  void accept_all(std::uint64_t stream_end = UINT64_MAX);
  // The process has left the stream: the same for its open operations.
  void accept_of_process(std::uint32_t pid, std::uint64_t stream_end = UINT64_MAX);

  // The stream stands at `offset` by the bytes that wait and those that were received, and no operation is in progress.
  void settle_by_waiting(std::uint64_t offset, bool is_certain);
  // The thread's call moved `bytes` at the other end of its transfer.
  void settle_transfer(const OpenOperation& other, std::uint64_t bytes);
  // The call took `bytes` out of a file, if it can have done so.
  void settle_from_file(const MeteredThread& thread, std::uint64_t call_number, std::uint64_t bytes);

  // Of operations whose length will show in the pipe: together with all others they reach `offset`. False if they cannot, or if the length of
  // another one is not known either.
  bool settle_shown(std::uint64_t offset);
  // So will that of the thread's open operation.
  void await_pipe(const MeteredThread* thread);
  bool awaits_pipe() const { return std::ranges::any_of(open_, awaits); }

  void open(const OpenOperation& operation);
  // Operations whose length is not known.
  std::vector<OpenOperation> unknown() const;
  bool has_unknown() const {
    return std::ranges::any_of(open_, [](const Entry& entry) { return !entry.known; });
  }
  bool is_open(const MeteredThread& thread, std::uint64_t call_number) {
    return find_entry(thread, call_number) != nullptr;
  }
  bool was_seen() const { return seen_; }
  bool has_open() const { return !open_.empty(); }
  std::size_t open_operations() const { return open_.size(); }
  const OpenOperation* find(const MeteredThread* thread) const;

  // The offset the next operation will probably have.
  std::uint64_t expected() const;
  std::uint64_t next() const { return next_; }
  // The offset that the stream has reached at least: guesses do not count.
  std::uint64_t at_least() const;

  // Operations whose length is not known: the probable length was recorded, and the stream was not looked at since.
  std::uint64_t unchecked() const { return unchecked_; }
  // Bytes recorded beyond the offset at which the stream was then seen.
  std::uint64_t overstated_bytes() const { return overstated_bytes_; }

 private:
  struct Entry {
    OpenOperation operation;
    bool known = false;
    bool accepted = false;  // by being probable
    std::uint64_t bytes = 0;
  };
  static bool awaits(const Entry& entry) { return !entry.known && entry.operation.shows_in_pipe; }
  Entry* find_entry(const MeteredThread& thread, std::uint64_t call_number);
  void finish(const OpenOperation& operation, std::uint64_t offset, std::uint64_t bytes);
  void finish_first(std::uint64_t offset);
  Gap stand_at(std::uint64_t offset);
  std::uint64_t moved_by_first(std::uint64_t offset) const;
  void finish_known();
  template <typename Chosen>
  void accept_chosen(std::uint64_t stream_end, Chosen&& chosen);

  std::deque<Entry> open_;
  std::uint64_t next_ = 0;
  bool seen_ = false;
  std::uint64_t unchecked_ = 0, overstated_bytes_ = 0;
};

}  // namespace dpm

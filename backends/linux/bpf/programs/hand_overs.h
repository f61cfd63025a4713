// Which thread lets another go on at a futex: it has released a lock, posted a semaphore, signalled a condition, or ended.
//
// A futex is used when a thread has to wait; a lock that is free is taken without the kernel. What is told is therefore
//
//   waits     the thread goes to sleep at a futex
//   gave      another one, in a call that wakes at futexes, wakes it; or ends, which pthread_join() waits for
//   took      its call has returned because of that
//
// A clock may wake a thread in the name of whichever thread runs. That one is hardly ever in such a call, and the call that was
// woken then returns that a time is over, so nothing was taken.
#pragma once

#include "wait_ends.h"

const volatile unsigned int tells_hand_overs;

static __always_inline int wakes_at_futexes(const struct pt_regs* regs) {
  enum {
    call_number_futex = 202,
    options = 128 | 256,  // private, by which clock
    wake = 1,
    requeue = 3,
    requeue_if = 4,
    wake_two = 5,
    unlock = 7,
    wake_some = 10,
    requeue_owned = 12
  };
  if (regs->orig_ax != call_number_futex) return 0;
  switch ((u32)regs->si & ~options) {
    case wake:
    case requeue:
    case requeue_if:
    case wake_two:
    case unlock:
    case wake_some:
    case requeue_owned:
      return 1;
    default:
      return 0;
  }
}

static __always_inline void put_hand_over(struct thread_state* state, struct task_struct* task, u32 kind, u32 other,
                                          u64 number, u32 flags, u64 now) {
  struct dpm_record record;
  begin_record(&record, kind, now, task, state);
  record.flags = flags;
  record.file = other;
  record.offset = number;
  record.result = 0;
  put_record(&record, state);
}

// The running thread `from` wakes `to`.
static __always_inline void gives(struct thread_state* from, struct task_struct* task, struct thread_state* to) {
  enum { is_exiting = 4 };
  if (!from) return;
  const int has_ended = task->flags & is_exiting;
  if (!has_ended && !(from->waits_for == dpm_wait_futex && from->wakes_others)) return;
  to->given_by = from->followed.tid;
  to->given_by_end = has_ended != 0;
  put_hand_over(from, task, dpm_gave, to->followed.tid, ++to->given, has_ended ? dpm_at_end : 0, bpf_ktime_get_ns());
}

static __always_inline void sleeps_at_futex(struct thread_state* state, struct task_struct* task, u64 now) {
  if (!tells_hand_overs || state->waits_for != dpm_wait_futex || state->has_slept || !task->__state) return;
  state->has_slept = 1;
  put_hand_over(state, task, dpm_slept, 0, 0, 0, now);
}

// The running thread's call at a futex has returned. True: because of another thread, which is told.
static __always_inline int takes(struct thread_state* state, struct task_struct* task, s64 result) {
  if (!tells_hand_overs || state->waits_for != dpm_wait_futex || state->given_by == 0 || result < 0) return 0;
  put_hand_over(state, task, dpm_took, state->given_by, state->given, state->given_by_end ? dpm_at_end : 0,
                bpf_ktime_get_ns());
  state->given_by = 0;
  return 1;
}

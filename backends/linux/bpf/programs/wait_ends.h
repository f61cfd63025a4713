// What ended a wait in a call: a lock that another thread released, a time, a signal; or what the events of the thread tell.
//
// How long the thread was idle in the call is what the kernel's own counts leave of the call's time, so that it does not matter whether
// all of its switches were seen. A time that ran out in a poll is not told before it is known that no message is behind it: a program
// that asks again each second until a message comes has waited for the message.
#pragma once

#include "output.h"

static __always_inline int is_lock(u32 wait) { return wait != 0 && wait < dpm_wait_timer; }

// The thread that wakes this one. Of a futex it is only a thread that is in a call of futexes itself, or one that is not metered: a
// clock wakes in the name of whichever thread happens to run.
static __always_inline void note_waker(struct thread_state* state) {
  struct task_struct* waker = bpf_get_current_task_btf();
  const struct thread_state* other = state_of(waker);
  state->waker.pid = 0;
  if (state->waits_for == dpm_wait_futex && other && other->waits_for != dpm_wait_futex) return;
  if (waker->pid != 0) describe_rival(&state->waker, waker);
}

static __always_inline void begin_wait(struct thread_state* state, const struct task_struct* task, u64 now) {
  state->wait.at_ns = now;
  state->wait.cpu_ns = cpu_time(state, task, now);
  state->wait.ready_ns = ready_time(state, task);
  state->wait.disk_ns = state->disk_ns;
  state->waker.pid = 0;
  state->has_woken = 0;
}

static __always_inline u64 idle_in_call(const struct thread_state* state, const struct task_struct* task, u64 now) {
  const struct wait_start* began = &state->wait;
  // What a thread had used in the midst of a slice may be too much: the kernel leaves out interrupts and what a hypervisor took.
  const s64 used = cpu_time(state, task, now) - began->cpu_ns;
  const u64 busy = (used > 0 ? used : 0) + ready_time(state, task) - began->ready_ns + state->disk_ns - began->disk_ns;
  const u64 elapsed = now - began->at_ns;
  return elapsed > busy ? elapsed - busy : 0;
}

// Of a program: of itself, or because it is a child that has ended. A clock or a terminal sends in the name of whichever thread runs.
static __always_inline void note_signal(struct thread_state* state, const struct task_struct* sender, int number,
                                        const struct kernel_siginfo* info, u64 now) {
  enum { sigalrm = 14, sigchld = 17, sigvtalrm = 26, sigprof = 27, by_kernel = 0x80, by_timer = -2, by_io = -5 };
  s32 code = by_kernel;  // also where there is no information
  if (bpf_core_read(&code, sizeof code, &info->si_code) != 0) code = by_kernel;
  const int is_from_program = code <= 0 && code != by_timer && code != by_io;
  state->signalled_ns = now;
  state->is_clock =
      code == by_timer || (code == by_kernel && (number == sigalrm || number == sigvtalrm || number == sigprof));
  state->signaller.pid = 0;
  if (is_from_program || number == sigchld) describe_rival(&state->signaller, sender);
}

enum { error_interrupted = 4, error_again = 11, error_timed_out = 110, restart_first = 512, restart_last = 516 };

static __always_inline int is_for_messages(u32 wait) { return wait == dpm_wait_poll || wait == dpm_wait_receive; }

static __always_inline int is_interrupted(s64 result) {
  return result == -error_interrupted || (result <= -restart_first && result >= -restart_last);
}

static __always_inline int is_timed_out(u32 wait, s64 result) {
  if (wait == dpm_wait_poll) return result == 0;
  return wait == dpm_wait_timer || result == -error_again || result == -error_timed_out;
}

// A call of the running thread has returned in which it may have waited; `is_time`: for a time, as is known already.
static __noinline int account_for_wait(struct thread_state* state, u32 wait, s64 result, int is_time) {
  const struct task_struct* task = bpf_get_current_task_btf();
  if (!state || state->wait.at_ns == 0) return 0;
  const u64 idle_ns = idle_in_call(state, task, bpf_ktime_get_ns());
  const u32 tid = state->followed.tid;
  const struct rival none = {};
  const int has_signal = state->signalled_ns >= state->wait.at_ns;
  const int takes_signals = wait == dpm_wait_signal || (result > 0 && has_signal && state->has_woken);
  state->wait.at_ns = 0;
  if (idle_ns == 0 || state->followed.waits_to_begin) return 0;
  // A signal that comes while the thread waits for a lock has not ended that wait: the lock is asked for again.
  if (is_interrupted(result) && is_lock(wait)) return add_to_account(task, tid, dpm_reason_lock, &none, idle_ns);
  if (is_interrupted(result) || (takes_signals && result != -error_again)) {
    const int is_clock = has_signal && state->is_clock;
    return add_to_account(task, tid, is_clock ? dpm_reason_timer : dpm_reason_signal,
                          has_signal && !is_clock ? &state->signaller : &none, idle_ns);
  }
  if (!is_time && is_for_messages(wait) && is_timed_out(wait, result)) {
    state->timed_out_ns += idle_ns;
    return 0;
  }
  if (is_time || is_timed_out(wait, result)) return add_to_account(task, tid, dpm_reason_timer, &none, idle_ns);
  if (is_lock(wait)) return add_to_account(task, tid, dpm_reason_lock, &state->waker, idle_ns);
  return 0;
}

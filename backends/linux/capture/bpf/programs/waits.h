// How long a thread was ready to run and did not run, and how long it waited for a disk.
//
// Between the instant at which a thread leaves a processor and the instant at which it comes back, it waits for something, and
// then for a processor; either part may be missing. A thread that is woken has its instant noted; all else happens when it
// comes back, so that two processors never write the same number. A waking may be noted while the thread is still on its
// way out: its wait has then no length.
#pragma once

#include "accounts.h"

// The state is read while another processor may be waking the thread: it then shows that it need not wait.
static __always_inline void leaves_processor(struct thread_state* state, const struct task_struct* task, int preempted,
                                             u64 now) {
  enum { uninterruptible = 2, waking = 0x200 };
  const u32 wait = task->__state;
  state->left_ns = now;
  state->left_ready = preempted || wait == 0 || (wait & waking) != 0;
  state->ready_on = bpf_get_smp_processor_id();
  state->left_for_disk = (wait & uninterruptible) != 0 && BPF_CORE_READ_BITFIELD(task, in_iowait) != 0;
}

static __always_inline void comes_to_processor(struct thread_state* state, const struct task_struct* task, u64 now) {
  const u64 left = state->left_ns;
  u64 ready_since = left;
  if (!state->left_ready && state->woken_ns > left) ready_since = state->woken_ns;
  if (ready_since != 0 && now > ready_since) {
    state->ready_ns += now - ready_since;
    account_for_queue(state, task, ready_since, now);
  }
  if (state->left_for_disk && left != 0) {
    state->disk_ns += ready_since - left;
  } else if (state->waits_for && left != 0 && ready_since > left) {
    account_for_idle(state, task, ready_since - left);
  }
  state->left_ns = 0;
}

static __always_inline int is_woken(struct task_struct* task) {
  struct thread_state* state = state_of(task);
  if (!state) return 0;
  state->woken_ns = bpf_ktime_get_ns();
  if (is_lock(state->waits_for)) note_waker(state);
  return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct* task) { return is_woken(task); }

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_first_waking, struct task_struct* task) { return is_woken(task); }

// It has been put into the queue of a processor.
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_queued, struct task_struct* task) {
  struct thread_state* state = state_of(task);
  if (state) state->ready_on = task->thread_info.cpu;
  return 0;
}

// How long a thread was ready to run and did not run, and how long it waited for a disk.
//
// Between the instant at which a thread leaves a processor and the instant at which it comes back, it waits for something, and
// then for a processor; either part may be missing. A thread that is woken has its instant noted; all else happens when it
// comes back, so that two processors never write the same number. A waking may be noted while the thread is still on its
// way out: its wait has then no length.
//
// The kernel does not pass the tracepoints at each switch: on one machine the threads of some processes were never seen to leave, 0.5 %
// of all switches, nor whom they woke. A thread that came in such a switch is found at its next event, and one that left in it when it
// comes back. What is told as the time in queues is the kernel's own count (output.h); the sum that is kept here is where
// there is none, and divides the time by whom it was waited for.
#pragma once

#include "hand_overs.h"

static __always_inline u64 ready_since_ns(const struct thread_state* state) {
  return !state->left_ready && state->woken_ns > state->left_ns ? state->woken_ns : state->left_ns;
}

// The state is read while another processor may be waking the thread: it then shows that it need not wait.
static __always_inline void leaves_processor(struct thread_state* state, const struct task_struct* task, int preempted,
                                             u64 now) {
  enum { uninterruptible = 2, waking = 0x200 };
  const u32 wait = task->__state;
  state->left_ns = now;
  state->left_cpu_ns = task->se.sum_exec_runtime;
  state->left_delay_ns = delay_of(task);
  state->left_ready = preempted || wait == 0 || (wait & waking) != 0;
  state->ready_on = bpf_get_smp_processor_id();
  state->left_for_disk = (wait & uninterruptible) != 0 && BPF_CORE_READ_BITFIELD(task, in_iowait) != 0;
  state->running_since_ns = 0;
}

// It was not seen to leave: its CPU time says when it did, and it waited for what woke it, if anything did.
static __always_inline void left_unseen(struct thread_state* state, const struct task_struct* task) {
  state->left_ns = state->running_since_ns + (task->se.sum_exec_runtime - state->cpu_at_switch_ns);
  state->left_ready = 0;
  state->left_for_disk = 0;
}

static __always_inline void comes_to_processor(struct thread_state* state, const struct task_struct* task,
                                               u64 cpu_before_ns, u64 now) {
  if (state->left_ns == 0 && state->running_since_ns != 0) left_unseen(state, task);
  const u64 left = state->left_ns, ready_since = ready_since_ns(state);
  if (ready_since != 0 && now > ready_since) {
    state->ready_ns += now - ready_since;
    account_for_queue(state, task, ready_since, now);
  }
  if (state->left_for_disk && left != 0) {
    if (counts_delay(task)) {
      state->away_for_disk_ns = now > left ? now - left : 0;
    } else {
      state->disk_ns += ready_since - left;
    }
  }
  state->left_ns = 0;
  state->cpu_at_switch_ns = cpu_before_ns;
  state->running_since_ns = now;
  state->arrivals = arrivals_of(task) + 1;  // counted behind the tracepoint
}

// The running thread. The kernel itself counts how long threads wait for processors, and has already added this wait. A global
// function, which the verifier looks at once and not in each program that calls it.
__noinline int came_unseen(struct thread_state* state) {
  if (!state) return 0;
  const struct task_struct* task = bpf_get_current_task_btf();
  const u64 now = bpf_ktime_get_ns();
  const u64 delay = delay_of(task) - state->left_delay_ns;
  u64 cpu_before_ns = state->left_cpu_ns;
  // Where its waking was not told either, it has just come, as far as is known: what it did before is what the kernel has counted.
  if (!state->left_ready && state->woken_ns <= state->left_ns) {
    state->woken_ns = now - delay;
    cpu_before_ns = task->se.sum_exec_runtime;
  }
  u64 came = ready_since_ns(state) + delay;
  if (came > now) came = now;
  comes_to_processor(state, task, cpu_before_ns, came);
  state->arrivals = arrivals_of(task);
  note_turn(task, came);
  return 0;
}

// Neither how it left nor how it came was seen. What it has used is what the kernel has counted, at the last tick or since.
static __always_inline void was_away_unseen(struct thread_state* state, const struct task_struct* task) {
  state->arrivals = arrivals_of(task);
  state->cpu_at_switch_ns = task->se.sum_exec_runtime;
  state->running_since_ns = bpf_ktime_get_ns();
}

// Of an absence for a disk, all but the time in queues is the disk's. The kernel adds that time to its count just after the tracepoint at
// which the thread comes, so this is for the next event. An instant of waking would do only where the kernel told it.
static __always_inline void settle_disk(struct thread_state* state, const struct task_struct* task) {
  if (state->away_for_disk_ns == 0) return;
  const u64 delay = delay_of(task) - state->left_delay_ns;
  if (state->away_for_disk_ns > delay) state->disk_ns += state->away_for_disk_ns - delay;
  state->away_for_disk_ns = 0;
}

// Of a thread that runs.
static __always_inline struct thread_state* running_state_of(struct task_struct* task) {
  struct thread_state* state = state_of(task);
  if (!state) return 0;
  if (!state->is_counted) {
    state->is_counted = 1;
    state->delay_before_ns = delay_of(task);
  }
  if (state->running_since_ns == 0 && ready_since_ns(state) != 0) {
    came_unseen(state);
  } else if (state->arrivals != arrivals_of(task)) {
    was_away_unseen(state, task);
  }
  settle_disk(state, task);
  return state;
}

static __always_inline int is_woken(struct task_struct* task) {
  struct thread_state* state = state_of(task);
  if (!state) return 0;
  state->woken_ns = bpf_ktime_get_ns();
  state->woken_by = bpf_get_current_task_btf()->pid;
  if (is_lock(state->waits_for)) note_waker(state);
  if (tells_hand_overs && state->waits_for == dpm_wait_futex) {
    struct task_struct* waker = bpf_get_current_task_btf();
    gives(running_state_of(waker), waker, state);
  }
  return 0;
}

SEC("tp_btf/sched_waking")
int BPF_PROG(on_waking, struct task_struct* task) { return is_woken(task); }

SEC("tp_btf/sched_wakeup_new")
int BPF_PROG(on_first_waking, struct task_struct* task) { return is_woken(task); }

// The kernel wakes a thread for its signal first, and tells of the signal then, on the same processor.
SEC("tp_btf/signal_generate")
int BPF_PROG(on_signal, int number, struct kernel_siginfo* info, struct task_struct* task, int to_all, int outcome) {
  enum { delivered = 0, wakes_within_ns = 100000 };
  struct thread_state* state = state_of(task);
  if (!state || outcome != delivered) return 0;
  const u64 now = bpf_ktime_get_ns();
  struct task_struct* sender = bpf_get_current_task_btf();
  state->has_woken = state->woken_by == (u32)sender->pid && now - state->woken_ns < wakes_within_ns;
  note_signal(state, sender, number, info, now);
  return 0;
}

// It has been put into the queue of a processor.
SEC("tp_btf/sched_wakeup")
int BPF_PROG(on_queued, struct task_struct* task) {
  struct thread_state* state = state_of(task);
  if (state) state->ready_on = task->thread_info.cpu;
  return 0;
}

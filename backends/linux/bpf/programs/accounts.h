// The accounts of waiting, and whom threads waited for in the queue of a processor.
//
// Each processor keeps its last turns. A thread that comes to a processor looks back at the turns since it was ready, on the
// processor in whose queue it was put. What is older than the turns that are kept has no name. A thread that another processor
// pulls out of a queue still waited for those before it in that queue.
#pragma once

#include "maps.h"
#include "numbers.h"

static __always_inline void describe_rival(struct rival* rival, const struct task_struct* task) {
  const struct task_struct* first = task->group_leader;
  rival->pid = number_of_any(task);
  rival->began_ns = BPF_CORE_READ(first, start_boottime);
  bpf_probe_read_kernel(rival->name, sizeof rival->name, first->comm);
}

// Two threads never add to one account.
static __noinline int add_to_account(const struct task_struct* task, u32 tid, u32 reason, const struct rival* rival,
                                     u64 time_ns) {
  if (!task || !rival) return 0;
  struct dpm_account_key key = {};
  key.tid = tid;
  bpf_probe_read_kernel(&key.began_ns, sizeof key.began_ns, &task->start_boottime);
  key.reason = reason;
  key.rival = rival->pid;
  struct dpm_account* known = bpf_map_lookup_elem(&accounts, &key);
  if (known) {
    known->time_ns += time_ns;
    return 0;
  }
  struct dpm_account account = {time_ns, rival->began_ns, {}};
  __builtin_memcpy(account.name, rival->name, sizeof account.name);
  if (bpf_map_update_elem(&accounts, &key, &account, BPF_NOEXIST) != 0)
    __sync_fetch_and_add(&shared.unaccounted_ns, time_ns);
  return 0;
}

// A wait in a processor's queue, of which the turns behind `until_ns` have been looked at.
struct queue_wait {
  const struct task_struct* task;
  u64 ready_since_ns, until_ns;
  u64 count;  // of turns
  u32 processor;
  u32 tid;
};

static int account_for_turn(u32 before_last, struct queue_wait* wait) {
  const struct turns* turns = bpf_map_lookup_elem(&processors, &wait->processor);
  if (!turns) return 1;
  const struct turn* turn = &turns->last[(wait->count - before_last - 1) & (turns_kept - 1)];
  u64 from = turn->from_ns;
  if (from == 0) return 1;
  if (from < wait->ready_since_ns) from = wait->ready_since_ns;
  if (from >= wait->until_ns) return 0;
  if (turn->tid != (u32)wait->task->pid)
    add_to_account(wait->task, wait->tid, dpm_reason_cpu, &turn->who, wait->until_ns - from);
  wait->until_ns = from;
  return from == wait->ready_since_ns;
}

// The thread comes to a processor after it was ready from `ready_since` on.
static __always_inline void account_for_queue(const struct thread_state* state, const struct task_struct* task,
                                              u64 ready_since, u64 now) {
  if (state->followed.waits_to_begin) return;
  struct queue_wait wait = {task, ready_since, now, 0, state->ready_on, state->followed.tid};
  const struct turns* turns = bpf_map_lookup_elem(&processors, &wait.processor);
  if (!turns) return;
  wait.count = turns->count;
  bpf_loop(turns_kept, account_for_turn, &wait, 0);
}

static __always_inline void note_turn(const struct task_struct* next, u64 now) {
  u32 processor = bpf_get_smp_processor_id();
  struct turns* turns = bpf_map_lookup_elem(&processors, &processor);
  if (!turns) return;
  struct turn* turn = &turns->last[turns->count & (turns_kept - 1)];
  turn->from_ns = now;
  turn->tid = next->pid;
  describe_rival(&turn->who, next);
  ++turns->count;
}

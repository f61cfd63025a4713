// Into the rings.
#pragma once

#include "accounts.h"

// Most threads of the machine have no storage at all, and are passed by without a call.
static __always_inline struct thread_state* state_of(struct task_struct* task) {
  if (!task->bpf_storage) return 0;
  return bpf_task_storage_get(&threads, task, 0, 0);
}

// Also in the midst of a slice: what the thread had used when it was switched to, and since.
static __always_inline u64 cpu_time(const struct thread_state* state, const struct task_struct* task, u64 now) {
  const u64 counted = task->se.sum_exec_runtime;
  if (state->running_since_ns == 0 || now < state->running_since_ns) return counted;
  const u64 used = state->cpu_at_switch_ns + (now - state->running_since_ns);
  return used > counted ? used : counted;
}

static __always_inline int counts_delay(const struct task_struct* task) {
  return bpf_core_field_exists(task->sched_info.run_delay);
}

// How long the kernel says that the thread was ready and did not run, in waits that have ended.
static __always_inline u64 delay_of(const struct task_struct* task) {
  return counts_delay(task) ? task->sched_info.run_delay : 0;
}

static __always_inline u64 arrivals_of(const struct task_struct* task) {
  return bpf_core_field_exists(task->sched_info.pcount) ? task->sched_info.pcount : 0;
}

// delay_of() since it is followed; only of a thread that runs.
static __always_inline u64 ready_time(const struct thread_state* state, const struct task_struct* task) {
  if (!counts_delay(task)) return state->ready_ns;
  return delay_of(task) - state->delay_before_ns;
}

// A thread is followed from now on.
static __always_inline void name_thread(struct thread_state* state, const struct task_struct* task) {
  state->followed.tid = thread_number(task);
  state->followed.pid = process_number(task);
}

static __noinline int count_refused(u32 pid, u32 kind) {
  struct refusal key = {pid, kind};
  u64* count = bpf_map_lookup_elem(&refused, &key);
  const u64 one = 1;
  if (count) {
    __sync_fetch_and_add(count, 1);
  } else if (bpf_map_update_elem(&refused, &key, &one, BPF_NOEXIST) != 0) {
    __sync_fetch_and_add(&shared.refused_others, 1);
  }
  return 0;
}

// By the running thread.
static __noinline int count_bypass(u32 kind, u32 calls) {
  const struct task_struct* task = bpf_get_current_task_btf();
  struct dpm_bypass_key key = {};
  key.pid = process_number(task);
  key.kind = kind;
  struct dpm_bypassing* known = bpf_map_lookup_elem(&bypassing, &key);
  if (known) {
    __sync_fetch_and_add(&known->calls, calls);
    return 0;
  }
  struct dpm_bypassing fresh = {calls, {}};
  bpf_probe_read_kernel(fresh.name, sizeof fresh.name, task->comm);
  if (bpf_map_update_elem(&bypassing, &key, &fresh, BPF_NOEXIST) != 0)
    __sync_fetch_and_add(&shared.bypassing_others, calls);
  return 0;
}

// Of messages. One that stands for the beginning of its call too is two events.
static __always_inline void count_refused_record(const struct dpm_record* record, const struct thread_state* state) {
  const u32 pid = state->followed.pid;
  count_refused(pid, record->kind);
  if (record->kind == dpm_received && (record->flags & dpm_began)) count_refused(pid, dpm_asked);
}

// Waking the reader for each record costs more than the record. The reader looks every few milliseconds; it must be woken
// when it sleeps, or when a ring fills up before it looks.
static __always_inline u64 wake_up(void* ring) {
  if (shared.reader_sleeps) {
    shared.reader_sleeps = 0;
    return BPF_RB_FORCE_WAKEUP;
  }
  return BPF_RB_NO_WAKEUP;
}

static __always_inline void* ring_here(void) {
  const u32 processor = bpf_get_smp_processor_id();
  return bpf_map_lookup_elem(&rings, &processor);
}

// Told when they have changed: a thread that makes many calls in one slice tells them once.
static __always_inline void tell_waits(struct thread_state* state, const struct task_struct* task, u64 now) {
  const u64 ready_ns = ready_time(state, task);
  if (ready_ns == state->told_ready_ns && state->disk_ns == state->told_disk_ns) return;
  void* ring = ring_here();
  if (!ring) return;
  struct dpm_waits_record* record = bpf_ringbuf_reserve(ring, sizeof *record, 0);
  if (!record) return;  // the next call tells it
  record->kind = dpm_waits;
  record->time_ns = now;
  record->tid = state->followed.tid;
  record->unused = 0;
  record->ready_ns = state->told_ready_ns = ready_ns;
  record->disk_ns = state->told_disk_ns = state->disk_ns;
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

// What happens at the beginning of a call has the times that were told then.
static __always_inline int happens_at_end(u32 kind) {
  return kind == dpm_received || kind == dpm_accepted || kind == dpm_waited || kind == dpm_took;
}

// Times ran out while the thread waited for messages or connections: they are its wait for the one that comes now, if one does.
static __always_inline void settle_timeouts(struct thread_state* state, const struct task_struct* task, u32 kind) {
  const struct rival none = {};
  if (state->timed_out_ns == 0) return;
  if (kind != dpm_received && kind != dpm_accepted)
    add_to_account(task, state->followed.tid, dpm_reason_timer, &none, state->timed_out_ns);
  state->timed_out_ns = 0;
}

static __always_inline void begin_record(struct dpm_record* record, u32 kind, u64 now, const struct task_struct* task,
                                         struct thread_state* state) {
  if (happens_at_end(kind) || state->began_ns == 0) tell_waits(state, task, now);
  settle_timeouts(state, task, kind);
  record->kind = kind;
  record->time_ns = now;
  record->tid = state->followed.tid;
  record->cpu_ns = cpu_time(state, task, now);
  record->descriptor = state->began_ns ? (u16)state->descriptor : 0xffff;
  record->flags = state->began_ns ? dpm_in_call | (state->number & (sites_max - 1)) << dpm_site_shift : 0;
  record->before_ns = 0;
  const u64 before = state->began_ns ? now - state->began_ns : 0;
  if (before >> 32) {
    record->before_ns = before >> 20;
    record->flags |= dpm_coarse;
  } else {
    record->before_ns = before;
  }
}

static __always_inline void put_record(const struct dpm_record* record, const struct thread_state* state) {
  void* ring = ring_here();
  if (!ring) return;
  struct dpm_record* place = bpf_ringbuf_reserve(ring, sizeof *place, 0);
  if (!place) {
    count_refused_record(record, state);
    return;
  }
  *place = *record;
  u64 flags = wake_up(ring);
  if (flags == BPF_RB_NO_WAKEUP && (record->time_ns & 0x3f) == 0 &&
      bpf_ringbuf_query(ring, BPF_RB_AVAIL_DATA) > shared.wake_bytes)
    flags = BPF_RB_FORCE_WAKEUP;
  bpf_ringbuf_submit(place, flags);
}

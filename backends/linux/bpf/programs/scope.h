// Threads that are followed because of where they are: in a cgroup, or on this machine.
#pragma once

#include "output.h"

enum { cgroup_levels_max = 64, kernel_thread = 0x00200000 };

// In the tree of version 2.
static __noinline int is_inside(const struct cgroup* at) {
  if (!at || BPF_CORE_READ(at, root, hierarchy_id) != 0) return 0;
  for (int level = 0; level < cgroup_levels_max; ++level) {
    if (BPF_CORE_READ(at, kn, id) == scope.cgroup) return 1;
    const struct cgroup_subsys_state* above = BPF_CORE_READ(at, self.parent);
    if (!above) return 0;
    at = BPF_CORE_READ(above, cgroup);
  }
  return 0;
}

// Processes that the meter's namespace does not have are none of its machine.
static __always_inline int may_be_followed(const struct task_struct* task) {
  if (task->flags & kernel_thread) return 0;
  const u32 number = process_number(task);
  return number != 0 && number != scope.own_pid;
}

// The rest of its process is told to user space, which follows it.
static __always_inline int follow_from_now(struct task_struct* task) {
  struct thread_state* state = bpf_task_storage_get(&threads, task, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!state) {
    __sync_fetch_and_add(&shared.unknown_threads, 1);
    return 0;
  }
  name_thread(state, task);
  state->is_counted = 1;
  state->delay_before_ns = delay_of(task);
  struct dpm_task_record* record = bpf_ringbuf_reserve(&news, sizeof *record, 0);
  if (!record) return count_refused(state->followed.pid, dpm_entered);
  __builtin_memset(record, 0, sizeof *record);
  record->kind = dpm_entered;
  record->time_ns = bpf_ktime_get_ns();
  record->cpu_ns = task->se.sum_exec_runtime;
  record->tid = state->followed.tid;
  record->pid = state->followed.pid;
  record->began_ns = task->start_boottime;
  bpf_probe_read_kernel(record->name, sizeof record->name, task->comm);
  bpf_ringbuf_submit(record, wake_up(&news));
  return 0;
}

// A child of a thread that is not followed.
static __always_inline int is_born(const struct task_struct* parent, struct task_struct* child) {
  if (!scope.everything && !scope.cgroup) return 0;
  if (!may_be_followed(child) || process_number(parent) == scope.own_pid) return 0;
  if (!scope.everything && !is_inside(BPF_CORE_READ(child, cgroups, dfl_cgrp))) return 0;
  return follow_from_now(child);
}

// Not attached unless a cgroup was asked for. The kernel moves a thread, or a whole process by its first thread.
SEC("tp_btf/cgroup_attach_task")
int BPF_PROG(on_enter_cgroup, struct cgroup* to, const char* path, struct task_struct* task) {
  if (!may_be_followed(task) || state_of(task) || !is_inside(to)) return 0;
  return follow_from_now(task);
}

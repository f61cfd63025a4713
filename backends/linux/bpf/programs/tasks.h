// Threads and processes: their births and ends, and when they run.
#pragma once

#include "calls.h"
#include "scope.h"
#include "waits.h"

// A receiving call is left before it has taken anything: it waits, or its thread was stopped to let another run.
static __always_inline void leaves_in_call(struct thread_state* state, struct task_struct* task, u64 now) {
  if (state->began_ns == 0 || state->has_asked || state->is_told) return;
  if (state->call != dpm_call_receive && state->call != dpm_call_transfer) return;
  s32 descriptor = state->descriptor;
  struct found_file found;
  if (!find_file(task, descriptor, &found)) return;
  if (found.flags & open_nonblock) return;  // told when it returns
  if (found.type == file_socket) return asked_socket(state, task, &found, now);
  const u32 flags = pipe_flags(&found);
  struct pipe_state* pipe = flags ? pipe_of(&found, flags) : 0;
  if (pipe) put_asked(state, task, pipe->file, flags, now);
}

// What the records of a thread have in common.
static __always_inline void describe_task(struct dpm_task_record* record, u32 kind, struct task_struct* task,
                                          struct thread_state* state, u64 now) {
  __builtin_memset(record, 0, sizeof *record);
  record->kind = kind;
  record->time_ns = now;
  record->cpu_ns = cpu_time(state, task, now);
  record->ready_ns = ready_time(state, task);
  record->disk_ns = state->disk_ns;
  record->tid = state->followed.tid;
  record->pid = state->followed.pid;
}

static __always_inline void put_task(struct task_struct* task, struct thread_state* state, u32 kind, u64 now) {
  struct dpm_task_record* record = bpf_ringbuf_reserve(&news, sizeof *record, 0);
  if (!record) {
    count_refused(state->followed.pid, kind);
    return;
  }
  describe_task(record, kind, task, state, now);
  record->code = task->exit_code;
  bpf_ringbuf_submit(record, wake_up(&news));
}

SEC("tp_btf/sched_switch")
int BPF_PROG(on_switch, _Bool preempted, struct task_struct* before, struct task_struct* next) {
  enum { task_dead = 0x80 };
  struct thread_state* leaving = running_state_of(before);
  if (leaving) {
    const u64 now = bpf_ktime_get_ns();
    leaves_in_call(leaving, before, now);
    if (!preempted) sleeps_at_futex(leaving, before, now);
    leaves_processor(leaving, before, preempted, now);
    if (before->__state & task_dead) put_task(before, leaving, dpm_gone, now);
  }
  struct thread_state* coming = state_of(next);
  if (coming) comes_to_processor(coming, next, next->se.sum_exec_runtime, bpf_ktime_get_ns());
  note_turn(next, bpf_ktime_get_ns());
  return 0;
}

// As the parent sees it.
static __always_inline u32 number_seen_by(const struct task_struct* parent, const struct task_struct* child) {
  const struct pid* parents = BPF_CORE_READ(parent, thread_pid);
  const struct pid* childs = BPF_CORE_READ(child, thread_pid);
  const struct upid* at = number_at((u64)childs, BPF_CORE_READ(parents, level));
  return BPF_CORE_READ(at, nr);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
  struct thread_state* creator = running_state_of(parent);
  if (!creator) return is_born(parent, child);
  struct thread_state* created = bpf_task_storage_get(&threads, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!created) {
    __sync_fetch_and_add(&shared.unknown_threads, 1);
    return 0;
  }
  name_thread(created, child);
  created->is_counted = 1;
  struct dpm_task_record* record = bpf_ringbuf_reserve(&news, sizeof *record, 0);
  if (!record) return count_refused(creator->followed.pid, dpm_forked);
  describe_task(record, dpm_forked, parent, creator, bpf_ktime_get_ns());
  record->child = created->followed.tid;
  record->child_pid = created->followed.pid;
  record->seen_as = number_seen_by(parent, child);
  record->began_ns = child->start_boottime;
  bpf_probe_read_kernel(record->name, sizeof record->name, child->comm);
  bpf_ringbuf_submit(record, wake_up(&news));
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task, int machine_number_before, struct linux_binprm* program) {
  struct thread_state* state = running_state_of(task);
  if (!state) return 0;
  const u32 tid_before = state->followed.tid;
  name_thread(state, task);
  state->followed.waits_to_begin = 0;
  state->began_ns = 0;
  __builtin_memset(state->sites, 0, sizeof state->sites);
  struct dpm_task_record* record = bpf_ringbuf_reserve(&news, sizeof *record, 0);
  if (!record) return count_refused(state->followed.pid, dpm_executed);
  describe_task(record, dpm_executed, task, state, bpf_ktime_get_ns());
  record->code = tid_before;
  bpf_probe_read_kernel(record->name, sizeof record->name, task->comm);
  bpf_probe_read_kernel_str(record->program, sizeof record->program, BPF_CORE_READ(program, interp));
  bpf_probe_read_kernel_str(record->file, sizeof record->file,
                            BPF_CORE_READ(program, file, f_path.dentry, d_name.name));
  bpf_ringbuf_submit(record, wake_up(&news));
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct* task) {
  struct thread_state* state = running_state_of(task);
  if (!state) return 0;
  state->began_ns = 0;
  settle_timeouts(state, task, dpm_exited);
  put_task(task, state, dpm_exited, bpf_ktime_get_ns());
  return 0;
}

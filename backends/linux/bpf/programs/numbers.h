// The numbers of threads and processes, as the meter knows them: those of its own process namespace.
//
// A task has a number in each namespace from the machine's first one down to its own:
//
//     task ── thread_pid ── level: 2
//                           numbers[0]  4711   of the machine: task->pid
//                           numbers[1]    35   of a container: what a meter there reads in /proc and gets from fork()
//                           numbers[2]     1   of a container in the container
//
// Everything that user space is told, or tells, has a number from here.
#pragma once

#include "kernel_types.h"

const volatile unsigned int meter_namespace;  // 0: the machine's first, whose numbers the tasks themselves carry

enum { namespace_levels_max = 33 };  // MAX_PID_NS_LEVEL of the kernel, and the first one

static __always_inline struct upid* number_at(u64 pid, u32 level) {
  return (struct upid*)(pid + bpf_core_field_offset(struct pid, numbers) + level * bpf_core_type_size(struct upid));
}

// `pid` is the address of a struct pid. 0: the namespace does not have it. The verifier looks at a global function once.
__noinline u32 number_in_namespace(u64 pid) {
  if (!pid) return 0;
  u32 level = BPF_CORE_READ((struct pid*)pid, level);
  for (int looked_at = 0; looked_at < namespace_levels_max; ++looked_at) {
    const struct upid* at = number_at(pid, level);
    if (BPF_CORE_READ(at, ns, ns.inum) == meter_namespace) return BPF_CORE_READ(at, nr);
    if (level == 0) return 0;
    --level;
  }
  return 0;
}

static __always_inline u32 number_of(const struct pid* pid) {
  return meter_namespace ? number_in_namespace((u64)pid) : BPF_CORE_READ(number_at((u64)pid, 0), nr);
}

static __always_inline u32 thread_number(const struct task_struct* task) {
  return meter_namespace ? number_in_namespace((u64)BPF_CORE_READ(task, thread_pid)) : (u32)task->pid;
}

static __always_inline u32 process_number(const struct task_struct* task) {
  return meter_namespace ? number_in_namespace((u64)BPF_CORE_READ(task, group_leader, thread_pid)) : (u32)task->tgid;
}

// Of any process of the machine, to tell it from others; 0: the processor is idle. No namespace has such large numbers.
static __always_inline u32 number_of_any(const struct task_struct* task) {
  enum { is_of_machine = 1u << 31 };
  const u32 number = process_number(task);
  return number || !task->tgid ? number : (u32)task->tgid | is_of_machine;
}

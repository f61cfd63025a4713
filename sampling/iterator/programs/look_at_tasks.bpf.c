// One record of each thread of the machine that a program started, in one pass: what /proc/PID/stat, schedstat, syscall and
// wchan say. It changes nothing. Call and stack are those of a thread that waits; those of one that runs would be of no
// instant.
//
// The types have only what is read. The loader finds the members by name in the running kernel's own type information (CO-RE).
// clang-format off
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
// clang-format on

#include "../task_record.h"

#define dpm_relocated __attribute__((preserve_access_index))

typedef unsigned char u8;
typedef unsigned u32;
typedef unsigned long long u64;

enum { kernel_thread = 0x00200000, task_waits = 0x9003 /* also frozen, and locks of real-time kernels */, pgid = 2, sid = 3, major_bits = 8, minor_low = 0xff };

struct pt_regs {
  unsigned long r10, r9, r8, dx, si, di, orig_ax;
} dpm_relocated;

struct sched_info {
  unsigned long pcount;
  u64 run_delay;
} dpm_relocated;

struct sched_entity {
  u64 sum_exec_runtime;
} dpm_relocated;

struct thread_info {
  u32 cpu;
} dpm_relocated;

struct upid {
  int nr;
} dpm_relocated;

struct pid {
  struct upid numbers[1];
} dpm_relocated;

struct tty_driver {
  int major, minor_start;
} dpm_relocated;


struct tty_struct {
  int index;
  struct tty_driver* driver;
  struct {
    struct pid* pgrp;
  } ctrl;
} dpm_relocated;

struct signal_struct {
  int nr_threads;
  struct pid* pids[4];
  struct tty_struct* tty;
} dpm_relocated;

struct task_struct {
  struct thread_info thread_info;
  u32 __state;
  u32 flags;
  int exit_state;
  int pid, tgid;
  u64 start_boottime;
  struct sched_entity se;
  struct sched_info sched_info;
  struct task_struct* real_parent;
  struct signal_struct* signal;
} dpm_relocated;

struct seq_file;

struct bpf_iter_meta {
  struct seq_file* seq;
} dpm_relocated;

struct bpf_iter__task {
  struct bpf_iter_meta* meta;
  struct task_struct* task;
} dpm_relocated;

// The processes of which a wait is looked into, with their children.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, 65536);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, u32);
  __type(value, u8);
} wanted SEC(".maps");

char program_license[] SEC("license") = "GPL";

static void take_signal(struct dpm_task_record* record, struct signal_struct* signal) {
  record->threads = signal->nr_threads;
  record->group = BPF_CORE_READ(signal, pids[pgid], numbers[0].nr);
  record->session = BPF_CORE_READ(signal, pids[sid], numbers[0].nr);
  struct tty_struct* tty = signal->tty;
  record->foreground_group = -1;
  if (!tty) return;
  const u32 number = BPF_CORE_READ(tty, driver, minor_start) + tty->index;
  record->terminal = (number & minor_low) | (u32)BPF_CORE_READ(tty, driver, major) << major_bits | (number & ~minor_low) << 12;
  struct pid* group = BPF_CORE_READ(tty, ctrl.pgrp);
  if (group) record->foreground_group = BPF_CORE_READ(group, numbers[0].nr);
}

static void take_call(struct dpm_task_record* record, struct task_struct* task) {
  record->call = -1;
  struct pt_regs* registers = (struct pt_regs*)bpf_task_pt_regs(task);
  if (!registers) return;
  record->call = (int)registers->orig_ax;
  record->arguments[0] = registers->di;
  record->arguments[1] = registers->si;
  record->arguments[2] = registers->dx;
  record->arguments[3] = registers->r10;
  record->arguments[4] = registers->r8;
  record->arguments[5] = registers->r9;
}

// Children too: they may be chosen for their parent, and live so shortly that a second pass would not find them any more.
static int is_wanted(const struct dpm_task_record* record) {
  const u32 process = record->process, parent = record->parent;
  return bpf_map_lookup_elem(&wanted, &process) || bpf_map_lookup_elem(&wanted, &parent);
}

SEC("iter/task")
int look_at_task(struct bpf_iter__task* context) {
  struct task_struct* task = context->task;
  if (!task || task->flags & kernel_thread) return 0;
  struct dpm_task_record record = {
      .thread = task->pid,
      .process = task->tgid,
      .parent = task->real_parent->tgid,
      .processor = task->thread_info.cpu,
      .flags = task->flags,
      .state = task->__state | task->exit_state,
      .seen_ns = bpf_ktime_get_ns(),
      .began_ns = task->start_boottime,
      .ran_ns = task->se.sum_exec_runtime,
      .waited_ns = task->sched_info.run_delay,
      .turns = task->sched_info.pcount,
  };
  if (task->signal) take_signal(&record, task->signal);
  if (record.state & task_waits && is_wanted(&record)) {
    take_call(&record, task);
    const long bytes = bpf_get_task_stack(task, record.stack, sizeof record.stack, 0);
    if (bytes > 0) record.stack_frames = bytes / sizeof record.stack[0];
  }
  bpf_seq_write(context->meta->seq, &record, sizeof record);
  return 0;
}

// The programs behind probes: one at functions and static tracepoints of user programs, which writes a record for each passage,
// and three that tell which processes come and go. They change nothing, and nothing waits for them.
// clang-format off
#include <linux/bpf.h>
#include <linux/ptrace.h>
#include <stdbool.h>
#include <stddef.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
#include <bpf/usdt.bpf.h>
// clang-format on
#include "../probe_record.h"

#define dpm_relocated __attribute__((preserve_access_index))

struct qstr {
  const unsigned char* name;
} dpm_relocated;
struct dentry {
  struct qstr d_name;
} dpm_relocated;
struct path {
  struct dentry* dentry;
} dpm_relocated;
struct file {
  struct path f_path;
} dpm_relocated;
struct linux_binprm {
  struct file* file;
  const char* interp;
} dpm_relocated;
typedef struct {
  int counter;
} atomic_t;
struct signal_struct {
  atomic_t live;
} dpm_relocated;
struct task_struct {
  int pid, tgid;
  struct signal_struct* signal;
} dpm_relocated;

#define dpm_ring_bytes (8 << 20)
#define dpm_processes_max 65536

struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, dpm_ring_bytes);
} ring SEC(".maps");

// By process: whether its passages are wanted. Those of others are asked about once.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, dpm_processes_max);
  __type(key, unsigned);
  __type(value, unsigned);
} processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, dpm_processes_max);
  __type(key, struct dpm_probe_lost_key);
  __type(value, __u64);
} lost SEC(".maps");

// Lost, and no place to say of which process and probe.
__u64 lost_otherwise = 0;

static void count_loss(unsigned process, unsigned probe) {
  const struct dpm_probe_lost_key key = {process, probe};
  const __u64 none = 0;
  __u64* count = bpf_map_lookup_elem(&lost, &key);
  if (!count) {
    bpf_map_update_elem(&lost, &key, &none, BPF_NOEXIST);
    count = bpf_map_lookup_elem(&lost, &key);
  }
  __sync_fetch_and_add(count ? count : &lost_otherwise, 1);
}

static void fill(struct dpm_probe_record* record, unsigned kind, __u64 value, unsigned process, unsigned thread, unsigned probe) {
  record->time_ns = bpf_ktime_get_ns();
  record->value = value;
  record->kind = kind;
  record->process = process;
  record->thread = thread;
  record->probe = probe;
}

static void tell_hit(__u64 cookie, __u64 value) {
  const __u64 both = bpf_get_current_pid_tgid();
  const unsigned process = both >> 32;
  const unsigned* known = bpf_map_lookup_elem(&processes, &process);
  if (known && *known == dpm_probe_unwanted) return;
  struct dpm_probe_record* record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
  if (!record) {
    count_loss(process, (unsigned)cookie);
    return;
  }
  fill(record, dpm_probe_hit, value, process, (unsigned)both, (unsigned)cookie);
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

SEC("uprobe")
int on_function(struct pt_regs* ctx) {
  const __u64 cookie = bpf_get_attach_cookie(ctx);
  __u64 place, value = 0;
  switch (cookie >> dpm_probe_value_shift) {
    case 1:
      place = offsetof(struct pt_regs, rdi);
      break;
    case 2:
      place = offsetof(struct pt_regs, rsi);
      break;
    case 3:
      place = offsetof(struct pt_regs, rdx);
      break;
    case 4:
      place = offsetof(struct pt_regs, rcx);
      break;
    case 5:
      place = offsetof(struct pt_regs, r8);
      break;
    case 6:
      place = offsetof(struct pt_regs, r9);
      break;
    default:
      place = offsetof(struct pt_regs, rax);
  }
  // The verifier allows no computed place in the context itself.
  bpf_probe_read_kernel(&value, sizeof value, (const void*)ctx + place);
  tell_hit(cookie, value);
  return 0;
}

SEC("usdt")
int on_tracepoint(struct pt_regs* ctx) {
  const __u64 cookie = bpf_usdt_cookie(ctx);
  const __u64 argument = cookie >> dpm_probe_value_shift;
  long value = 0;
  if (argument > 0) bpf_usdt_arg(ctx, argument - 1, &value);
  tell_hit(cookie, (__u64)value);
  return 0;
}

SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task, int old_pid, struct linux_binprm* program) {
  const unsigned process = task->tgid;
  bpf_map_delete_elem(&processes, &process);
  struct dpm_probe_exec_record* record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
  if (!record) {
    __sync_fetch_and_add(&lost_otherwise, 1);
    return 0;
  }
  fill(&record->record, dpm_probe_exec, 0, process, process, 0);
  record->file[0] = record->path[0] = 0;
  bpf_probe_read_kernel_str(record->file, sizeof record->file, program->file->f_path.dentry->d_name.name);
  bpf_probe_read_kernel_str(record->path, sizeof record->path, program->interp);
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
  return 0;
}

static void tell_life(unsigned kind, unsigned process, unsigned parent) {
  struct dpm_probe_record* record = bpf_ringbuf_reserve(&ring, sizeof *record, 0);
  if (!record) {
    __sync_fetch_and_add(&lost_otherwise, 1);
    return;
  }
  fill(record, kind, 0, process, process, parent);
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
  const unsigned from = parent->tgid, process = child->tgid;
  if (child->pid != child->tgid) return 0;
  const unsigned* known = bpf_map_lookup_elem(&processes, &from);
  if (!known || *known != dpm_probe_wanted) return 0;
  const unsigned wanted = dpm_probe_wanted;
  bpf_map_update_elem(&processes, &process, &wanted, BPF_ANY);
  tell_life(dpm_probe_fork, process, from);
  return 0;
}

SEC("tp_btf/sched_process_exit")
int BPF_PROG(on_exit, struct task_struct* task) {
  const unsigned process = task->tgid;
  if (task->signal->live.counter != 0) return 0;
  const unsigned* known = bpf_map_lookup_elem(&processes, &process);
  if (known && *known == dpm_probe_wanted) tell_life(dpm_probe_exit, process, 0);
  bpf_map_delete_elem(&processes, &process);
  return 0;
}

char program_license[] SEC("license") = "GPL";

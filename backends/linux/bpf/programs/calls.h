// System calls of metered threads: when they begin, and what those did that no tracepoint of a socket tells.
#pragma once

#include "files.h"
#include "sockets.h"

enum {
  call_number_read = 0,
  call_number_write = 1,
  call_number_poll = 7,
  call_number_readv = 19,
  call_number_writev = 20,
  call_number_select = 23,
  call_number_sendfile = 40,
  call_number_fcntl = 72,
  call_number_waitid = 247,
  call_number_pselect = 270,
  call_number_ppoll = 271
};  // of x86-64

static __always_inline u64 argument(const struct pt_regs* regs, u32 place) {
  switch (place) {
    case 0:
      return regs->di;
    case 1:
      return regs->si;
    case 2:
      return regs->dx;
    case 3:
      return regs->r10;
    case 4:
      return regs->r8;
    default:
      return regs->r9;
  }
}

// A call of 32-bit code that is followed, as the call of 64-bit code that does the same; dpm_calls_max: it is none.
static __always_inline u64 number_as_64_bit(u64 number) {
  if (number >= dpm_calls_max) return dpm_calls_max;
  switch (call_shapes[number].in_32_bit) {
    case dpm_32_bit_read:
      return call_number_read;
    case dpm_32_bit_write:
      return call_number_write;
    case dpm_32_bit_readv:
      return call_number_readv;
    case dpm_32_bit_writev:
      return call_number_writev;
    default:
      return dpm_calls_max;
  }
}

static __always_inline int is_32_bit(const struct task_struct* task) {
  enum { status_32_bit = 2 };
  return task->thread_info.status & status_32_bit;
}

static __always_inline void tell_site(struct thread_state* state, const struct task_struct* task, u32 slot, u64 pc,
                                      u64 now) {
  void* ring = ring_here();
  if (!ring) return;
  struct dpm_site_record* record = bpf_ringbuf_reserve(ring, sizeof *record, 0);
  if (!record) return;
  record->kind = dpm_site;
  record->time_ns = now;
  record->tid = state->followed.tid;
  record->slot = slot;
  record->pc = pc;
  state->sites[slot & (sites_max - 1)] = pc;
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
}

// A call that a signal interrupted, restarted by the kernel or made again by the program, is the same request: only a signal
// handler ran between.
static __always_inline int is_made_again(struct thread_state* state, const struct pt_regs* regs, u32 number) {
  const struct call_made* before = &state->interrupted;
  if (!before->is_one) return 0;
  state->interrupted.is_one = 0;
  return before->number == number && before->first == regs->di && before->second == regs->si &&
         before->third == regs->dx;
}

static __always_inline void note_interruption(struct thread_state* state, const struct pt_regs* regs, s64 result) {
  if (!is_interrupted(result)) return;
  const struct call_made made = {regs->di, regs->si, regs->dx, state->number, 1};
  state->interrupted = made;
}

// A poll or select of no descriptor is a sleep.
static __always_inline int polls_nothing(const struct pt_regs* regs) {
  const u64 number = regs->orig_ax;
  if (number == call_number_poll || number == call_number_ppoll) return (u32)regs->si == 0;
  if (number == call_number_select || number == call_number_pselect)
    return (s32)regs->di == 0 || (regs->si | regs->dx | regs->r10) == 0;
  return 0;
}

// A call that waits for a lock, a time, a signal or one of several descriptors.
static __always_inline void begins_wait(const struct pt_regs* regs, u32 wait) {
  enum { set_and_wait = 7, set_and_wait_by_file = 38 };
  struct task_struct* task = bpf_get_current_task_btf();
  struct thread_state* state = running_state_of(task);
  if (!state) return;
  const u32 command = regs->si;
  if (wait == dpm_wait_file_lock && regs->orig_ax == call_number_fcntl && command != set_and_wait &&
      command != set_and_wait_by_file)
    return;
  state->waits_for = wait == dpm_wait_poll && polls_nothing(regs) ? dpm_wait_timer : wait;
  state->wakes_others = wait == dpm_wait_futex && wakes_at_futexes(regs);
  state->has_slept = 0;
  state->given_by = 0;
  begin_wait(state, task, bpf_ktime_get_ns());
}

// A receiving call that took no message: it was interrupted, took too long, or read a clock or the signals themselves.
static __always_inline void account_for_receive(struct thread_state* state, const struct task_struct* task,
                                                s64 result) {
  int is_time = 0;
  struct found_file found;
  if (result > 0) {
    if (!find_file(task, state->descriptor, &found) || !found.is_anonymous || is_eventfd(&found)) return;
    is_time = is_timerfd(&found);
  }
  account_for_wait(state, dpm_wait_receive, result, is_time);
}

static __always_inline int is_pipe_or_eventfd(const struct task_struct* task, s32 descriptor) {
  struct found_file found;
  return find_file(task, descriptor, &found) && (found.type == file_fifo || is_eventfd(&found));
}

// The operations on pipes: those on sockets are seen there, and those on files are none between processes. They are counted one by one,
// because the kernel would verify the loop once for each sum that it can have, which takes a second.
struct submission {
  u64 blocks;  // where the program has the addresses of its struct iocb
};

static int count_operation(u32 at, struct submission* submission) {
  enum { descriptor_at = 20 };  // in struct iocb
  u64 block = 0;
  s32 descriptor = -1;
  if (!submission) return 1;
  bpf_probe_read_user(&block, sizeof block, (const void*)(submission->blocks + at * sizeof block));
  bpf_probe_read_user(&descriptor, sizeof descriptor, (const void*)(block + descriptor_at));
  if (is_pipe_or_eventfd(bpf_get_current_task_btf(), descriptor)) count_bypass(dpm_bypass_aio, 1);
  return 0;
}

static __always_inline void submits(const struct pt_regs* regs) {
  enum { looked_at_max = 256 };
  struct submission submission = {regs->dx};
  const u64 wanted = regs->si;
  bpf_loop(wanted < looked_at_max ? wanted : looked_at_max, count_operation, &submission, 0);
}

static __always_inline int duplicates(const struct pt_regs* regs) {
  enum { duplicate = 0, duplicate_closed_by_exec = 1030 };
  return (u32)regs->si == duplicate || (u32)regs->si == duplicate_closed_by_exec;
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, struct pt_regs* regs, long as_made) {
  u64 number = as_made;
  if (number >= dpm_calls_max) return 0;
  const u32 in_32_bit = call_shapes[number].in_32_bit;
  if (call_shapes[number].call == dpm_call_none && !call_shapes[number].waits_for && !in_32_bit) return 0;
  struct task_struct* task = bpf_get_current_task_btf();
  struct thread_state* state = running_state_of(task);
  if (!state) return 0;
  const int by_32_bit_code = is_32_bit(task);
  if (by_32_bit_code) {
    if (in_32_bit == dpm_32_bit_passes) count_bypass(dpm_bypass_32_bit, 1);
    number = number_as_64_bit(number);
    if (number >= dpm_calls_max) return 0;
  }
  if (call_shapes[number].waits_for) begins_wait(regs, call_shapes[number].waits_for);
  const u32 call = call_shapes[number].call;
  if (call == dpm_call_none || (number == call_number_fcntl && !duplicates(regs))) return 0;
  if (call == dpm_call_submit) return submits(regs), 0;
  const u32 flags_argument = call_shapes[number].flags_argument;
  if (call == dpm_call_receive && flags_argument && (argument(regs, flags_argument - 1) & msg_peek))
    return 0;  // looking is not receiving
  const u64 now = bpf_ktime_get_ns();
  state->began_ns = now;
  state->began_cpu_ns = cpu_time(state, task, now);
  if (call == dpm_call_receive) begin_wait(state, task, now);
  state->call = call;
  state->number = number;
  state->descriptor =
      number == call_number_sendfile || call == dpm_call_copy ? regs->si : regs->di;  // what it reads from
  if (by_32_bit_code) state->descriptor = regs->bx;
  state->has_asked = call == dpm_call_receive && is_made_again(state, regs, number);
  state->is_told = 0;
  state->has_datagram = 0;
  state->moved_bytes = 0;
  state->is_message = call_shapes[number].is_message;
  const u32 address_argument = call_shapes[number].address_argument;
  state->address = address_argument ? argument(regs, address_argument - 1) : 0;
  state->entry = 0;
  state->address_length = regs->r9;  // of sendto()
  const u32 slot = (u32)number & (sites_max - 1);
  const u64 pc = regs->ip;
  if (state->sites[slot] != pc) tell_site(state, task, slot, pc, now);
  tell_waits(state, task, now);
  return 0;
}

// A pipe, a FIFO or an eventfd; 0: another file.
static __always_inline u32 pipe_flags(const struct found_file* found) {
  if (found->type == file_fifo) return dpm_is_pipe;
  if (found->type == file_socket) return 0;
  return is_eventfd(found) ? dpm_is_eventfd : 0;
}

enum { open_write_only = 01, open_read_write = 02, open_nonblock = 04000, open_direct = 040000 };

static __always_inline void put_asked(struct thread_state* state, struct task_struct* task, u32 file, u32 flags,
                                      u64 now) {
  struct dpm_record record;
  state->has_asked = 1;
  begin_record(&record, dpm_asked, now, task, state);
  record.flags |= flags | dpm_began;
  record.offset = 0;
  record.file = file;
  record.result = 0;
  put_record(&record, state);
}

// A call asked this socket, unless the socket carries no messages. The socket's own state cannot be reached from here.
static __always_inline void asked_socket(struct thread_state* state, struct task_struct* task,
                                         const struct found_file* found, u64 now) {
  const struct sock* sk = sock_of(found);
  if (!sk || carries_nothing(sk, BPF_CORE_READ(sk, sk_type), BPF_CORE_READ(sk, __sk_common.skc_state))) return;
  u32* told = &state->told_sockets[found->number & (sites_max - 1)];
  if (*told != found->number && tell_socket(sk, now)) *told = found->number;
  put_asked(state, task, found->number, 0, now);
}

static __always_inline s64 units_at(u64 address) {
  u64 units = 0;
  bpf_probe_read_user(&units, sizeof units, (const void*)address);
  return units;
}

// Of a vector, of which each part of a write is a number of its own.
static __always_inline s64 units_of_parts(u64 vector, s64 bytes) {
  enum { parts_max = 8, number_bytes = 8 };
  s64 units = 0;
  for (int i = 0; i < parts_max && bytes >= number_bytes; ++i) {
    struct {
      u64 address, length;
    } part = {};
    bpf_probe_read_user(&part, sizeof part, (const void*)(vector + i * sizeof part));
    if (part.length < number_bytes) continue;
    units += units_at(part.address);
    bytes -= number_bytes;
  }
  return units;
}

// One end of a pipe or an eventfd: `amount` bytes were moved (0 or less: none).
static __always_inline void pipe_moved(struct thread_state* state, struct task_struct* task,
                                       const struct found_file* found, u32 flags, s64 amount, int sends, u64 now) {
  struct pipe_state* pipe = pipe_of(found, flags);
  if (!pipe) return;
  const int begins = !sends && !state->has_asked;
  if (!sends && amount <= 0) {
    if (begins) put_asked(state, task, pipe->file, flags, now);
    return;
  }
  if (amount <= 0) return;
  struct dpm_record record;
  begin_record(&record, sends ? dpm_sent : dpm_received, now, task, state);
  if (sends) record.cpu_ns = state->began_cpu_ns;
  record.flags |= flags;
  if (begins) record.flags |= dpm_began;
  record.offset = __sync_fetch_and_add(sends ? &pipe->sent : &pipe->received, (u64)amount);
  record.file = pipe->file;
  record.result = amount;
  put_record(&record, state);
}

// read() and write(): a socket has told what it moved.
static __always_inline void returned_moving(struct thread_state* state, struct task_struct* task,
                                            const struct pt_regs* regs, s64 result, int sends, u64 now) {
  enum { error_invalid = 22 };
  struct found_file found;
  if (state->is_told || !find_file(task, state->descriptor, &found)) return;
  if (found.type == file_socket) {  // it has failed before it reached the socket
    if (!sends && result < 0) asked_socket(state, task, &found, now);
    return;
  }
  u32 flags = pipe_flags(&found);
  if (!flags && result > 0 && is_terminal_master(&found)) count_bypass(dpm_bypass_terminal, 1);
  if (!flags) return;
  if (!sends && result == 0 && state->number == call_number_read && regs->dx == 0) return;  // it wants nothing
  if (call_shapes[state->number & (dpm_calls_max - 1)].needs_socket) return;                // it has failed
  s64 amount = result;
  if (flags & dpm_is_eventfd) {
    if (!sends && result == -error_invalid) return;  // too little room: it does not ask
    if (result > 0 && is_32_bit(task)) {
      amount = state->number == call_number_read || state->number == call_number_write ? units_at(regs->cx) : 0;
      if (amount == 0) count_bypass(dpm_bypass_32_bit, 1);
    } else if (result > 0) {
      amount = call_shapes[state->number & (dpm_calls_max - 1)].is_vector ? units_of_parts(regs->si, result)
                                                                          : units_at(regs->si);
    }
  }
  if (sends && found.type == file_fifo && (found.flags & open_direct) && result > 0)
    count_bypass(dpm_bypass_packets, 1);
  if (found.flags & open_nonblock) flags |= dpm_does_not_wait;
  pipe_moved(state, task, &found, flags, amount, sends, now);
}

// A socket that was used through its descriptor, beside the socket layer.
static __always_inline u32 socket_behind(const struct found_file* found, u64 now, int always_told) {
  if (found->type != file_socket) return 0;
  const struct sock* sk = sock_of(found);
  if (!sk) return 0;
  if (always_told) tell_socket(sk, now);
  return found->number;
}

// sendfile() and splice(): what is read from a pipe or socket, then what is written into one.
static __always_inline void returned_transfer(struct thread_state* state, struct task_struct* task,
                                              const struct pt_regs* regs, s64 result, u64 now) {
  const int is_sendfile = state->number == call_number_sendfile;
  const s32 from = is_sendfile ? regs->si : regs->di, to = is_sendfile ? regs->di : regs->dx;
  struct found_file found;
  struct dpm_record record;
  if (find_file(task, from, &found)) {
    const u32 flags = found.type == file_fifo ? dpm_is_pipe : 0;
    state->descriptor = from;
    if (flags) {
      pipe_moved(state, task, &found, flags, result, 0, now);
    } else if (found.type == file_socket && !state->is_told) {
      begin_record(&record, result > 0 ? dpm_received : dpm_asked, now, task, state);
      if (!state->has_asked) record.flags |= dpm_began;
      record.file = socket_behind(&found, now, 1);
      record.offset = (1ull << 48) - 1;  // its own counters were not asked
      record.result = result;
      if (result > 0 || !state->has_asked) put_record(&record, state);
    }
  }
  if (result <= 0 || !find_file(task, to, &found)) return;
  state->descriptor = to;
  if (found.type == file_fifo) return pipe_moved(state, task, &found, dpm_is_pipe, result, 1, now);
  if (state->moved_bytes == 0) return;
  begin_record(&record, dpm_sent, now, task, state);
  record.cpu_ns = state->began_cpu_ns;
  record.offset = state->moved_offset;
  record.file = state->moved_file;
  record.result = state->moved_bytes;
  put_record(&record, state);
}

// vmsplice(): the end that may be written takes, and the other gives. tee(): what it copies stays where it was.
static __always_inline void returned_giving(struct thread_state* state, struct task_struct* task, s64 result, u64 now) {
  struct found_file found;
  if (result <= 0 || !find_file(task, state->descriptor, &found) || found.type != file_fifo) return;
  const int sends = state->call == dpm_call_copy || (found.flags & (open_write_only | open_read_write));
  pipe_moved(state, task, &found, dpm_is_pipe, result, sends, now);
}

static __always_inline void put_path(struct thread_state* state, struct task_struct* task, u32 kind, u32 file,
                                     s32 result, u64 offset, u64 now) {
  struct dpm_record record;
  begin_record(&record, kind, now, task, state);
  record.file = file;
  record.result = result;
  record.offset = offset;
  put_record(&record, state);
}

// Another process may have made the listener. Its close by this one is the end of a path, too.
static __always_inline void note_listener(struct thread_state* state, struct task_struct* task, u64 now) {
  struct found_file found;
  if (!find_file(task, state->descriptor, &found) || found.type != file_socket) return;
  u32* told = &state->told_sockets[found.number & (sites_max - 1)];
  if (*told == found.number) return;
  const u32 socket = socket_behind(&found, now, 1);
  if (!socket) return;
  put_path(state, task, dpm_listened, socket, 0, 0, now);
  *told = found.number;
}

static __always_inline void returned_path(struct thread_state* state, struct task_struct* task,
                                          const struct pt_regs* regs, s64 result, u64 now) {
  enum { error_in_progress = 115, type_mask = 0xf };
  struct found_file found;
  u32 socket = 0;
  switch (state->call) {
    case dpm_call_accept:
      if (result < 0) return;
      note_listener(state, task, now);
      if (!find_file(task, result, &found)) return;
      socket = socket_behind(&found, now, 1);
      state->descriptor = result;
      if (socket) put_path(state, task, dpm_accepted, socket, result, 0, now);
      return;
    case dpm_call_connect:
      if ((result < 0 && result != -error_in_progress) || !find_file(task, state->descriptor, &found)) return;
      socket = socket_behind(&found, now, 1);
      if (socket) put_path(state, task, dpm_connected, socket, result, 0, now);
      return;
    case dpm_call_socket:
      if (result < 0) return;
      state->descriptor = result;
      put_path(state, task, dpm_created, 0, result,
               (regs->di & 0xffff) << 16 | (regs->si & type_mask) << 8 | (regs->dx & 0xff), now);
      return;
    case dpm_call_dup:
    case dpm_call_dup_to:
      if (result < 0 || !find_file(task, result, &found)) return;
      socket = socket_behind(&found, now, 1);
      if (socket) put_path(state, task, dpm_duplicated, socket, result, 0, now);
      return;
    case dpm_call_listen:
      if (result < 0 || !find_file(task, state->descriptor, &found)) return;
      socket = socket_behind(&found, now, 1);
      if (socket) put_path(state, task, dpm_listened, socket, result, 0, now);
      return;
    case dpm_call_close:
      put_path(state, task, dpm_closed, 0, result, 0, now);
      return;
    default:
      return;
  }
}

// The number of a child whose end the call returned, as the program sees it.
static __always_inline void returned_from_wait(struct thread_state* state, struct task_struct* task,
                                               const struct pt_regs* regs, s64 result, u64 now) {
  enum { at_pid = 16 };  // in siginfo_t
  s32 child = result;
  if (state->number == call_number_waitid) {
    if (result != 0 || regs->dx == 0) return;
    bpf_probe_read_user(&child, sizeof child, (const void*)(regs->dx + at_pid));
  }
  if (child > 0) put_path(state, task, dpm_waited, 0, child, 0, now);
}

static __always_inline void ends_wait(s64 result) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct thread_state* state = running_state_of(task);
  if (!state || state->waits_for == 0) return;
  if (takes(state, task, result)) {
    state->wait.at_ns = 0;
  } else {
    account_for_wait(state, state->waits_for, result, 0);
  }
  state->waits_for = 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_return, struct pt_regs* regs, long result) {
  u64 number = regs->orig_ax;
  if (number >= dpm_calls_max) return 0;
  if (call_shapes[number].call == dpm_call_none && !call_shapes[number].waits_for && !call_shapes[number].in_32_bit)
    return 0;
  struct task_struct* task = bpf_get_current_task_btf();
  if (is_32_bit(task)) number = number_as_64_bit(number);
  if (number >= dpm_calls_max) return 0;
  if (call_shapes[number].waits_for) ends_wait(result);
  if (call_shapes[number].call == dpm_call_none) return 0;
  struct thread_state* state = running_state_of(task);
  if (!state || state->began_ns == 0) return 0;
  const u32 call = state->call;
  if (call == dpm_call_receive && result < 0) note_interruption(state, regs, result);
  if (call == dpm_call_receive && (result < 0 || !state->is_told)) account_for_receive(state, task, result);
  if (state->has_datagram) {
    put_datagram(&state->datagram, state);
  } else if (!state->is_told || call == dpm_call_transfer) {
    const u64 now = bpf_ktime_get_ns();
    if (call == dpm_call_receive || call == dpm_call_send) {
      returned_moving(state, task, regs, result, call == dpm_call_send, now);
    } else if (call == dpm_call_transfer) {
      returned_transfer(state, task, regs, result, now);
    } else if (call == dpm_call_give || call == dpm_call_copy) {
      returned_giving(state, task, result, now);
    } else if (call == dpm_call_bypass) {
      if (result >= 0) count_bypass(call_shapes[number].bypasses, 1);
    } else if (call == dpm_call_child) {
      returned_from_wait(state, task, regs, result, now);
    } else {
      returned_path(state, task, regs, result, now);
    }
  }
  state->began_ns = 0;
  return 0;
}

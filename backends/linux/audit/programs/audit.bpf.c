// Counts what processes move. The amounts are the kernel's own counts where it has them, and not the results of calls that are on a list:
//
//   sockets            what passes sock_sendmsg() and sock_recvmsg(), by any call
//   pipes, eventfds    by how much the thread's count of read and written characters (/proc/PID/task/TID/io) grows during a call, whichever
//                      it is. splice, tee, vmsplice, asynchronous I/O and io_uring are not in that count: there, their results
//   CPU time, I/O      when the kernel frees the thread: its last instruction is over
//
// They share nothing with the programs that record (backends/linux/bpf), so that an error in one is not in the other: each follows the
// processes by itself. The sums are the result, so that nothing is refused for want of room in a ring.

// The helpers use the types of the first header.
// clang-format off
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
// clang-format on

#include "../audit_record.h"
#include "kernel_types.h"

enum {
  af_unix = 1,
  af_inet = 2,
  af_inet6 = 10,
  protocol_tcp = 6,
  protocol_udp = 17,
  protocol_mptcp = 262,
  msg_oob = 1,
  msg_peek = 2,
  msg_trunc = 0x20,
  sock_stream = 1,
  msg_errqueue = 0x2000,
  file_type = 0170000,
  file_fifo = 0010000,
  file_socket = 0140000,
  file_writes = 2,
  shutdown_receive = 1,
  is_compatible = 2,  // a call by the interface of 32-bit programs
  objects_max = 1 << 17,
  processes_max = 1 << 16,
};

// ---- tables
// A thread, and the call that it makes.
struct followed_thread {
  struct dpm_audit_process_key process;
  long call;  // of 32-bit programs: -1
  u64 arguments[5];
  u64 characters_read, characters_written;  // before the call
  u32 has_datagram;
  u32 sent;  // messages, by this call
  u32 merged;  // how many datagrams are being given to it as one; 0: it is one
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct followed_thread);
} followed SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, processes_max);
  __type(key, struct dpm_audit_process_key);
  __type(value, struct dpm_audit_process);
} processes SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, objects_max);
  __type(key, struct dpm_audit_count_key);
  __type(value, struct dpm_audit_count);
} counts SEC(".maps");

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __uint(max_entries, objects_max);
  __type(key, u64);
  __type(value, struct dpm_audit_name);
} names SEC(".maps");

// Up to where a socket of TCP has been read, and what a socket of UDP keeps back (MSG_MORE).
struct socket_state {
  u32 up_to, is_known;
  u32 kept_back;
};

struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct socket_state);
} sockets SEC(".maps");

unsigned long long uncounted;  // processes and objects for which the tables had no room
unsigned int pid_level;   // the depth of the pid namespace that the meter and the program's first process are in

// ---- whom to count for
static __always_inline struct followed_thread* current_thread(void) {
  struct followed_thread* thread = bpf_task_storage_get(&followed, bpf_get_current_task_btf(), 0, 0);
  return thread && thread->process.began_ns ? thread : 0;
}

// The kernel's workers for an io_uring are threads of the process, and no fork tells of them.
static __always_inline struct dpm_audit_process_key* current_process(void) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct followed_thread* thread = bpf_task_storage_get(&followed, task, 0, 0);
  if (!thread) {
    struct task_struct* leader = task->group_leader;
    if (!leader || leader == task) return 0;
    thread = bpf_task_storage_get(&followed, leader, 0, 0);
  }
  return thread && thread->process.began_ns ? &thread->process : 0;
}

static __always_inline u32 number_at(const struct task_struct* task, u32 level) {
  const struct pid* numbers = BPF_CORE_READ(task, thread_pid);
  u32 number = 0;
  const char* at = (const char*)numbers + bpf_core_field_offset(struct pid, numbers) +
                   level * bpf_core_type_size(struct upid) + bpf_core_field_offset(struct upid, nr);
  bpf_probe_read_kernel(&number, sizeof number, at);
  return number;
}

static __always_inline void begin_process(struct task_struct* task, struct dpm_audit_process_key* key) {
  key->pid = number_at(task, pid_level);
  key->began_ns = task->start_boottime;
  struct dpm_audit_process fresh = {.threads = 1};
  bpf_probe_read_kernel_str(fresh.name, sizeof fresh.name, task->comm);
  if (bpf_map_update_elem(&processes, key, &fresh, BPF_ANY) != 0) __sync_fetch_and_add(&uncounted, 1);
}

SEC("tp_btf/sched_process_fork")
int BPF_PROG(on_fork, struct task_struct* parent, struct task_struct* child) {
  struct followed_thread* creator = bpf_task_storage_get(&followed, parent, 0, 0);
  if (!creator || !creator->process.began_ns) return 0;
  struct followed_thread* created = bpf_task_storage_get(&followed, child, 0, BPF_LOCAL_STORAGE_GET_F_CREATE);
  if (!created) {
    __sync_fetch_and_add(&uncounted, 1);
    return 0;
  }
  created->call = -1;
  if (child->tgid != parent->tgid) {
    begin_process(child, &created->process);
    return 0;
  }
  created->process = creator->process;
  struct dpm_audit_process* process = bpf_map_lookup_elem(&processes, &created->process);
  if (process) __sync_fetch_and_add(&process->threads, 1);
  return 0;
}

// The first process is put into the table before it executes the program: until then it is a part of dpm.
SEC("tp_btf/sched_process_exec")
int BPF_PROG(on_exec, struct task_struct* task) {
  struct followed_thread* thread = bpf_task_storage_get(&followed, task, 0, 0);
  if (!thread) return 0;
  if (!thread->process.began_ns) {
    pid_level = BPF_CORE_READ(task, thread_pid, level);
    begin_process(task, &thread->process);
  }
  struct dpm_audit_process* process = bpf_map_lookup_elem(&processes, &thread->process);
  if (process) bpf_probe_read_kernel_str(process->name, sizeof process->name, task->comm);
  return 0;
}

SEC("tp_btf/sched_process_free")
int BPF_PROG(on_free, struct task_struct* task) {
  struct followed_thread* thread = bpf_task_storage_get(&followed, task, 0, 0);
  struct dpm_audit_process* process = thread ? bpf_map_lookup_elem(&processes, &thread->process) : 0;
  if (!process) return 0;
  __sync_fetch_and_add(&process->cpu_ns, task->se.sum_exec_runtime);
  __sync_fetch_and_add(&process->characters_read, task->ioac.rchar);
  __sync_fetch_and_add(&process->characters_written, task->ioac.wchar);
  __sync_fetch_and_add(&process->calls_read, task->ioac.syscr);
  __sync_fetch_and_add(&process->calls_written, task->ioac.syscw);
  __sync_fetch_and_add(&process->threads_gone, 1);
  return 0;
}

// ---- what to count
static __always_inline struct dpm_audit_count* count_of(struct dpm_audit_count_key* key) {
  struct dpm_audit_count* count = bpf_map_lookup_elem(&counts, key);
  if (count) return count;
  const struct dpm_audit_count fresh = {};
  bpf_map_update_elem(&counts, key, &fresh, BPF_NOEXIST);
  count = bpf_map_lookup_elem(&counts, key);
  if (!count) __sync_fetch_and_add(&uncounted, 1);
  return count;
}

static __always_inline void add(const struct dpm_audit_process_key* process, u32 carrier, u32 direction, u64 object, u64 bytes,
                                u32 operations, u32 is_cut) {
  struct dpm_audit_count_key key = {.process = *process, .object = object, .carrier = carrier, .direction = direction};
  struct dpm_audit_count* count = count_of(&key);
  if (!count) return;
  __sync_fetch_and_add(&count->bytes, bytes);
  __sync_fetch_and_add(&count->operations, operations);
  if (is_cut) __sync_fetch_and_add(&count->cut, 1);
}

static __always_inline u64 inode_of(const struct sock* sk) { return BPF_CORE_READ(sk, sk_socket, file, f_inode, i_ino); }

static __noinline int name_socket(const struct sock* sk, u64 object) {
  struct dpm_audit_name name = {};
  if (bpf_map_lookup_elem(&names, &object)) return 0;
  name.family = BPF_CORE_READ(sk, __sk_common.skc_family);
  name.local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
  name.peer_port = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
  if (name.family == af_inet) {
    const u32 local = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr), peer = BPF_CORE_READ(sk, __sk_common.skc_daddr);
    __builtin_memcpy(name.local, &local, sizeof local);
    __builtin_memcpy(name.peer, &peer, sizeof peer);
  } else {
    bpf_probe_read_kernel(name.local, sizeof name.local, &sk->__sk_common.skc_v6_rcv_saddr);
    bpf_probe_read_kernel(name.peer, sizeof name.peer, &sk->__sk_common.skc_v6_daddr);
  }
  bpf_map_update_elem(&names, &object, &name, BPF_ANY);
  return 0;
}

// ---- sockets
static __always_inline u32 carrier_of(const struct sock* sk) {
  const u16 family = sk->__sk_common.skc_family;
  if (family == af_unix) return sk->sk_type == sock_stream ? dpm_audit_unix_stream : dpm_audit_unix_datagram;
  if (family != af_inet && family != af_inet6) return dpm_audit_other;
  if (sk->sk_protocol == protocol_tcp || sk->sk_protocol == protocol_mptcp) return dpm_audit_tcp;
  return sk->sk_protocol == protocol_udp ? dpm_audit_udp : dpm_audit_other;
}

static __always_inline u64 object_of(const struct sock* sk, u32 carrier) {
  if (carrier == dpm_audit_other) return (u64)sk->__sk_common.skc_family << 32 | sk->sk_protocol;
  const u64 object = inode_of(sk);
  if (carrier == dpm_audit_tcp || carrier == dpm_audit_udp) name_socket(sk, object);
  return object;
}

// A datagram fills the room of the call to the last byte: there may have been more of it.
static __always_inline u32 may_be_cut(const struct followed_thread* thread, int result) {
  enum { read = 0, recvfrom = 45 };
  return thread && (thread->call == read || thread->call == recvfrom) && thread->arguments[2] == (u64)result;
}

// The size of the datagrams that the kernel divides a message into (UDP_SEGMENT), from the control data of the message header at `header`;
// 0: there is none.
static __noinline u32 segment_in_control(u64 header) {
  enum { control_at = 32, part_header_bytes = 16, parts_max = 4, level_udp = 17, udp_segment = 103 };
  u64 control[2] = {};  // where, and how many bytes
  if (bpf_probe_read_user(control, sizeof control, (const void*)(header + control_at)) != 0) return 0;
  for (int at = 0; at < parts_max && control[1] >= part_header_bytes + sizeof(u16); ++at) {
    struct {
      u64 bytes;
      u32 level, type;
      u64 value;
    } part = {};
    if (bpf_probe_read_user(&part, part_header_bytes + sizeof(u16), (const void*)control[0]) != 0) return 0;
    if (part.level == level_udp && part.type == udp_segment) return (u16)part.value;
    const u64 bytes = (part.bytes + 7) & ~7ull;
    if (part.bytes < part_header_bytes || bytes > control[1]) return 0;
    control[0] += bytes;
    control[1] -= bytes;
  }
  return 0;
}

static __always_inline u32 datagrams_of(u64 bytes, u32 segment) { return segment && bytes ? (bytes + segment - 1) / segment : 1; }

static __always_inline u32 datagrams_sent(struct sock* sk, int bytes) {
  enum { sendmsg = 46, sendmmsg = 307, header_bytes = 64 };
  struct followed_thread* thread = current_thread();
  struct socket_state* socket = bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
  if (!socket) return 1;
  socket->kept_back += bytes;
  const struct udp_sock* udp = (const struct udp_sock*)sk;
  if (BPF_CORE_READ(udp, pending)) return 0;
  bytes = socket->kept_back;
  socket->kept_back = 0;
  u32 segment = 0;
  if (thread && thread->call == sendmsg) segment = segment_in_control(thread->arguments[1]);
  if (thread && thread->call == sendmmsg) segment = segment_in_control(thread->arguments[1] + (u64)thread->sent++ * header_bytes);
  return datagrams_of(bytes, segment ? segment : BPF_CORE_READ(udp, gso_size));
}

// Datagrams that the kernel has merged (UDP_GRO). The program need not ask for their size, nor have room for all of them.
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(on_copied, const struct sk_buff* skb, int bytes) {
  enum { merged_udp = 1 << 17 };
  struct followed_thread* thread = current_thread();
  if (!thread) return 0;
  const struct skb_shared_info* shared = (const struct skb_shared_info*)(BPF_CORE_READ(skb, head) + BPF_CORE_READ(skb, end));
  const int is_merged = BPF_CORE_READ(shared, gso_type) & merged_udp;
  thread->merged = is_merged ? datagrams_of(BPF_CORE_READ(skb, len), BPF_CORE_READ(shared, gso_size)) : 0;
  return 0;
}

// The kernel leaves urgent bytes out of what a receive gives, unless the program asks for them in their place (SO_OOBINLINE). A FIN has a
// place, too, which the receive passes that comes to the end.
static __always_inline void note_passed(struct sock* sk, const struct dpm_audit_process_key* process, int result) {
  enum { done = 1 };
  struct socket_state* read = bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
  if (!read) return;
  const struct tcp_sock* tcp = (const struct tcp_sock*)sk;
  const u32 come = BPF_CORE_READ(tcp, rcv_nxt), now = BPF_CORE_READ(tcp, copied_seq);
  const u32 before = read->is_known ? read->up_to : come - (u32)BPF_CORE_READ(tcp, bytes_received);  // or the first byte
  const u32 fin = now == come && (BPF_CORE_READ(sk, __sk_common.skc_flags) >> done & 1);
  const u32 is_passed = now - before == (u32)result + fin + 1 && BPF_CORE_READ(tcp, urg_seq) - before < now - before;
  read->up_to = now;
  read->is_known = 1;
  if (!is_passed) return;
  struct dpm_audit_count_key key = {.process = *process, .object = inode_of(sk), .carrier = dpm_audit_tcp, .direction = dpm_audit_received};
  struct dpm_audit_count* count = count_of(&key);
  if (count) __sync_fetch_and_add(&count->passed, 1);
}

static __always_inline int moved_by_socket(struct sock* sk, u32 direction, int result, int flags) {
  const u32 carrier = carrier_of(sk);
  const int may_be_empty = carrier == dpm_audit_udp || carrier == dpm_audit_unix_datagram;
  if (result < 0 || (result == 0 && !may_be_empty)) return 0;
  const struct dpm_audit_process_key* process = current_process();
  if (!process) return 0;
  u32 is_cut = 0, datagrams = 1;
  if (may_be_empty && direction == dpm_audit_received) {
    // A socket of packets that is at its end returns 0 as well.
    if (result == 0 && (sk->sk_shutdown & shutdown_receive)) return 0;
    struct followed_thread* thread = current_thread();
    is_cut = may_be_cut(thread, result);
    if (thread) thread->has_datagram = 1 + carrier;
    if (thread && thread->merged) datagrams = thread->merged;
    if (thread) thread->merged = 0;
  } else if (carrier == dpm_audit_udp) {
    datagrams = datagrams_sent(sk, result);
  }
  add(process, carrier, direction, object_of(sk, carrier), result, datagrams, is_cut);
  if (direction == dpm_audit_received && sk->sk_protocol == protocol_tcp && carrier == dpm_audit_tcp && !(flags & msg_oob))
    note_passed(sk, process, result);
  return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(on_sent, struct sock* sk, int result, int flags) { return moved_by_socket(sk, dpm_audit_sent, result, flags); }

SEC("tp_btf/sock_recv_length")
int BPF_PROG(on_received, struct sock* sk, int result, int flags) {
  return flags & (msg_peek | msg_errqueue) ? 0 : moved_by_socket(sk, dpm_audit_received, result, flags);
}

// ---- files
static __always_inline struct file* file_at(int descriptor) {
  struct task_struct* task = bpf_get_current_task_btf();
  struct fdtable* table = BPF_CORE_READ(task, files, fdt);
  if (!table || descriptor < 0 || (u32)descriptor >= BPF_CORE_READ(table, max_fds)) return 0;
  struct file* file = 0;
  bpf_probe_read_kernel(&file, sizeof file, BPF_CORE_READ(table, fd) + descriptor);
  return file;
}

static __always_inline u32 type_of(const struct file* file) { return BPF_CORE_READ(file, f_inode, i_mode) & file_type; }

static __always_inline void add_pipe(const struct dpm_audit_process_key* process, const struct file* file, u32 direction, long bytes) {
  if (file && bytes > 0 && type_of(file) == file_fifo)
    add(process, dpm_audit_pipe, direction, BPF_CORE_READ(file, f_inode, i_ino), bytes, 1, 0);
}

static __always_inline int is_eventfd(const struct file* file) {
  static const char wanted[9] = "[eventfd]";
  if (type_of(file) != 0) return 0;
  char name[16] = "";
  bpf_probe_read_kernel_str(name, sizeof name, BPF_CORE_READ(file, f_path.dentry, d_name.name));
  for (int at = 0; at < 9; ++at)
    if (name[at] != wanted[at]) return 0;
  return 1;
}

// The number stands in the program's memory; of readv() and writev(), in that of the first part.
static __always_inline void add_units(const struct followed_thread* thread, const struct file* file, u32 direction) {
  enum { readv = 19, writev = 20, units_bytes = 8 };
  u64 at = thread->arguments[1], units = 0;
  if (thread->call == readv || thread->call == writev) bpf_probe_read_user(&at, sizeof at, (const void*)at);
  if (bpf_probe_read_user(&units, sizeof units, (const void*)at) != 0) return;
  const struct eventfd_ctx* counter = BPF_CORE_READ(file, private_data);
  add(&thread->process, dpm_audit_eventfd, direction, (u32)BPF_CORE_READ(counter, id), units, 1, 0);
}

static __always_inline void add_file(const struct followed_thread* thread, int descriptor, u32 direction, u64 characters) {
  const struct file* file = characters ? file_at(descriptor) : 0;
  if (!file) return;
  add_pipe(&thread->process, file, direction, characters);
  if (is_eventfd(file)) add_units(thread, file, direction);
}

// What a socket gives to a pipe does not pass sock_recvmsg().
static __always_inline void add_spliced_socket(const struct followed_thread* thread, const struct file* file, long bytes) {
  if (type_of(file) != file_socket) return;
  const struct socket* socket = BPF_CORE_READ(file, private_data);
  const struct sock* sk = BPF_CORE_READ(socket, sk);
  const u16 family = BPF_CORE_READ(sk, __sk_common.skc_family);
  const u64 object = inode_of(sk);
  if (family != af_unix) name_socket(sk, object);
  add(&thread->process, family == af_unix ? dpm_audit_unix_stream : dpm_audit_tcp, dpm_audit_received, object, bytes, 1, 0);
}

// The events that were handed over: struct io_event of struct iocb.
static __always_inline void add_asynchronous(const struct followed_thread* thread, long events) {
  enum { events_max = 32, reads = 0, writes = 1, reads_parts = 7, writes_parts = 8 };
  struct {
    u64 data, operation;
    long long result, other;
  } event;
  struct {
    u64 data;
    u32 key, flags;
    u16 operation, priority;
    u32 descriptor;
  } asked;
  for (int at = 0; at < events_max && at < events; ++at) {
    if (bpf_probe_read_user(&event, sizeof event, (const void*)(thread->arguments[3] + at * sizeof event)) != 0) return;
    if (bpf_probe_read_user(&asked, sizeof asked, (const void*)event.operation) != 0) return;
    const int sends = asked.operation == writes || asked.operation == writes_parts;
    if (!sends && asked.operation != reads && asked.operation != reads_parts) continue;
    add_pipe(&thread->process, file_at(asked.descriptor), sends ? dpm_audit_sent : dpm_audit_received, event.result);
  }
}

// What the kernel does not count as characters.
static __always_inline void add_result(const struct followed_thread* thread, long result) {
  enum { io_getevents = 208, splice = 275, tee = 276, vmsplice = 278, io_pgetevents = 333 };
  const u64* arguments = thread->arguments;
  if (thread->call == io_getevents || thread->call == io_pgetevents) {
    add_asynchronous(thread, result);
  } else if (thread->call == tee) {
    add_pipe(&thread->process, file_at(arguments[1]), dpm_audit_sent, result);
  } else if (thread->call == vmsplice) {
    const struct file* file = file_at(arguments[0]);
    if (!file) return;
    add_pipe(&thread->process, file, BPF_CORE_READ(file, f_mode) & file_writes ? dpm_audit_sent : dpm_audit_received, result);
  } else if (thread->call == splice) {
    const struct file* in = file_at(arguments[0]);
    add_pipe(&thread->process, in, dpm_audit_received, result);
    if (in) add_spliced_socket(thread, in, result);
    add_pipe(&thread->process, file_at(arguments[2]), dpm_audit_sent, result);
  }
}

static __always_inline struct dpm_audit_count* received_by(const struct followed_thread* thread, const struct file* file) {
  struct dpm_audit_count_key key = {.process = thread->process,
                                    .object = BPF_CORE_READ(file, f_inode, i_ino),
                                    .carrier = thread->has_datagram - 1,
                                    .direction = dpm_audit_received};
  return bpf_map_lookup_elem(&counts, &key);
}

// recvmsg() tells the program in its memory that a datagram was cut.
static __always_inline void note_cut(struct followed_thread* thread) {
  enum { recvmsg = 47, flags_place = 48 };
  if (!thread->has_datagram || thread->call != recvmsg) return;
  u32 flags = 0;
  bpf_probe_read_user(&flags, sizeof flags, (const void*)(thread->arguments[1] + flags_place));
  const struct file* file = flags & msg_trunc ? file_at(thread->arguments[0]) : 0;
  if (!file) return;
  struct dpm_audit_count* count = received_by(thread, file);
  if (count) __sync_fetch_and_add(&count->cut, 1);
}

SEC("tp_btf/sys_enter")
int BPF_PROG(on_call, struct pt_regs* registers, long number) {
  struct followed_thread* thread = current_thread();
  if (!thread) return 0;
  struct task_struct* task = bpf_get_current_task_btf();
  const int compatible = task->thread_info.status & is_compatible;
  thread->call = compatible ? -1 : number;
  thread->arguments[0] = compatible ? (u32)registers->bx : registers->di;
  thread->arguments[1] = compatible ? (u32)registers->cx : registers->si;
  thread->arguments[2] = registers->dx;
  thread->arguments[3] = registers->r10;
  thread->characters_read = task->ioac.rchar;
  thread->characters_written = task->ioac.wchar;
  thread->has_datagram = 0;
  thread->sent = 0;
  return 0;
}

SEC("tp_btf/sys_exit")
int BPF_PROG(on_result, struct pt_regs* registers, long result) {
  enum { sendfile = 40 };
  struct followed_thread* thread = current_thread();
  if (!thread || result <= 0) return 0;
  struct task_struct* task = bpf_get_current_task_btf();
  // The first argument is the descriptor; sendfile() writes to it.
  add_file(thread, thread->arguments[thread->call == sendfile ? 1 : 0], dpm_audit_received, task->ioac.rchar - thread->characters_read);
  add_file(thread, thread->arguments[0], dpm_audit_sent, task->ioac.wchar - thread->characters_written);
  add_result(thread, result);
  note_cut(thread);
  // A call that a filter answers is not told to begin.
  thread->call = -1;
  thread->characters_read = task->ioac.rchar;
  thread->characters_written = task->ioac.wchar;
  return 0;
}

// A socket passes its own tracepoint.
SEC("tp_btf/io_uring_complete")
int BPF_PROG(on_ring, void* ring, struct io_kiocb* operation, struct io_uring_cqe* done) {
  enum { readv = 1, writev = 2, read_fixed = 4, write_fixed = 5, read = 22, write = 23 };
  const struct dpm_audit_process_key* process = current_process();
  const int result = BPF_CORE_READ(done, res);
  if (!process || result <= 0) return 0;
  const u8 code = BPF_CORE_READ(operation, opcode);
  const int sends = code == writev || code == write_fixed || code == write;
  if (!sends && code != readv && code != read_fixed && code != read) return 0;
  add_pipe(process, BPF_CORE_READ(operation, file), sends ? dpm_audit_sent : dpm_audit_received, result);
  return 0;
}

char program_license[] SEC("license") = "GPL";

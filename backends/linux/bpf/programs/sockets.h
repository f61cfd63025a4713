// What moves through sockets. The kernel passes these tracepoints after each operation, with its result.
#pragma once

#include "files.h"
#include "waits.h"

static __always_inline int exchanges_messages(const struct sock* sk) {
  const u16 family = sk->__sk_common.skc_family;
  if (family == af_unix) return 1;
  if (family != af_inet && family != af_inet6) return 0;
  return sk->sk_protocol == protocol_tcp || sk->sk_protocol == protocol_udp || sk->sk_protocol == protocol_mptcp;
}

static __always_inline int is_tcp(const struct sock* sk) {
  return sk->sk_protocol == protocol_tcp && sk->__sk_common.skc_family != af_unix;
}

static __always_inline int is_udp(const struct sock* sk) {
  return sk->sk_protocol == protocol_udp && sk->__sk_common.skc_family != af_unix;
}

// A FIN counts as a byte that has come, and as one that was read by the receive that meets it, which may take data too.
static __always_inline u32 fin_read(const struct sock* sk, const struct tcp_sock* tcp) {
  enum { sock_done = 1 };  // the bit of skc_flags that the FIN sets
  return tcp->copied_seq == tcp->rcv_nxt ? sk->__sk_common.skc_flags >> sock_done & 1 : 0;
}

// The offset after the last byte that was sent or received, by the kernel's own counters.
static __always_inline u64 tcp_offset(struct sock* sk, const struct socket_state* socket, int sends) {
  const struct tcp_sock* tcp = bpf_skc_to_tcp_sock(sk);  // its members are read without calls
  if (!tcp) return 0;
  if (sends) return tcp->bytes_acked + (u32)(tcp->write_seq - tcp->snd_una) - socket->syn_counted;
  return tcp->bytes_received - (u32)(tcp->rcv_nxt - tcp->copied_seq) - fin_read(sk, tcp);
}

// An urgent byte has its place in the stream, whether a program takes it (MSG_OOB) or not, and other receives pass it.
static __always_inline u64 urgent_offset(struct sock* sk) {
  const struct tcp_sock* tcp = bpf_skc_to_tcp_sock(sk);
  return tcp ? tcp->bytes_received - (u32)(tcp->rcv_nxt - tcp->urg_seq) : 0;
}

// A receive of `moved` bytes is over: whether it has passed an urgent byte.
static __always_inline int passes_urgent(struct sock* sk, struct socket_state* socket, int moved) {
  const struct tcp_sock* tcp = bpf_skc_to_tcp_sock(sk);
  if (!tcp) return 0;
  const u32 before = socket->was_read ? socket->read_seq : tcp->rcv_nxt - (u32)tcp->bytes_received;  // or the first one
  const u32 now = tcp->copied_seq, more = now - before - (u32)moved - fin_read(sk, tcp);
  socket->read_seq = now;
  socket->was_read = 1;
  return more == 1 && tcp->urg_seq - before < now - before;
}

static __always_inline u64 offset_before(struct sock* sk, struct socket_state* socket, int moved, int sends) {
  if (sk->sk_type != sock_stream) return 0;
  if (!is_tcp(sk)) return __sync_fetch_and_add(sends ? &socket->sent : &socket->received, (u64)moved);
  return tcp_offset(sk, socket, sends) - (u64)moved;
}

// What names the socket reads the clock after this: then its record comes after the description, also when another
// processor has told it.
static __always_inline struct socket_state* known_socket(struct sock* sk) {
  struct socket_state* socket = bpf_sk_storage_get(&sockets, sk, 0, BPF_SK_STORAGE_GET_F_CREATE);
  if (!socket) {
    __sync_fetch_and_add(&shared.unknown_files, 1);
    return 0;
  }
  const u64 names = names_of(sk);
  if (socket->names == names) return socket;
  if (!socket->file) {
    socket->file = number_of_socket(sk);
    if (is_tcp(sk)) socket->syn_counted = counts_syn(sk);
  }
  if (tell_socket(sk, bpf_ktime_get_ns())) socket->names = names;
  return socket;
}

// The name that the program passed, or passed memory for.
struct user_name {
  u64 address;
  u32 length;
};

static __always_inline struct user_name passed_name(const struct thread_state* state) {
  struct user_name name = {state->address, state->address_length};
  if (!state->is_message) return name;
  enum { mmsghdr_bytes = 64 };
  const u64 header = state->address + (state->is_message == 2 ? (u64)state->entry * mmsghdr_bytes : 0);
  // struct msghdr: msg_name, msg_namelen
  bpf_probe_read_user(&name.address, sizeof name.address, (const void*)header);
  bpf_probe_read_user(&name.length, sizeof name.length, (const void*)(header + sizeof name.address));
  return name;
}

// A datagram of the Internet.
static __always_inline void put_datagram(const struct dpm_record* record, const struct thread_state* state) {
  void* ring = ring_here();
  if (!ring) return;
  const struct user_name name = passed_name(state);
  if (!name.address) return put_record(record, state);
  struct dpm_datagram_record* place = bpf_ringbuf_reserve(ring, sizeof *place, 0);
  if (!place) {
    count_refused_record(record, state);
    return;
  }
  place->record = *record;
  place->record.flags |= dpm_has_address;
  place->peer.length = sizeof place->peer.bytes;
  __builtin_memset(place->peer.bytes, 0, sizeof place->peer.bytes);
  if (bpf_probe_read_user(place->peer.bytes, sizeof place->peer.bytes, (const void*)name.address) != 0)
    bpf_probe_read_user(place->peer.bytes, 16, (const void*)name.address);  // at the end of its memory
  bpf_ringbuf_submit(place, wake_up(ring));
}

// A datagram to a UNIX socket that is not connected to the sender.
static __always_inline void put_datagram_to_path(const struct dpm_record* record, const struct thread_state* state) {
  void* ring = ring_here();
  if (!ring) return;
  const struct user_name name = passed_name(state);
  if (!name.address) return put_record(record, state);
  struct dpm_path_record* place = bpf_ringbuf_reserve(ring, sizeof *place, 0);
  if (!place) {
    count_refused_record(record, state);
    return;
  }
  place->record = *record;
  place->record.flags |= dpm_has_path;
  const u32 length = name.length < sizeof place->peer.bytes ? name.length : sizeof place->peer.bytes - 1;
  place->peer.length = length;
  place->peer.unused = 0;
  __builtin_memset(place->peer.bytes, 0, sizeof place->peer.bytes);
  bpf_probe_read_user(place->peer.bytes, length & 127, (const void*)name.address);
  bpf_ringbuf_submit(place, wake_up(ring));
}

// The control data that the program passed with a message.
struct user_control {
  u64 address, bytes;
};

// The size of the datagrams that the kernel is to divide a message into, from its control data (UDP_SEGMENT).
static __always_inline u32 segment_in_control(const struct thread_state* state) {
  enum { mmsghdr_bytes = 64, control_at = 32, header_bytes = 16, parts_max = 4, level_udp = 17, udp_segment = 103 };
  if (!state->is_message) return 0;
  const u64 header = state->address + (state->is_message == 2 ? (u64)state->entry * mmsghdr_bytes : 0);
  struct user_control control = {};
  bpf_probe_read_user(&control, sizeof control, (const void*)(header + control_at));
  for (int i = 0; i < parts_max && control.bytes >= header_bytes + sizeof(u16); ++i) {
    struct {
      u64 length;
      s32 level, type;
      u16 segment;
    } part = {};
    if (bpf_probe_read_user(&part, header_bytes + sizeof(u16), (const void*)control.address) != 0) return 0;
    if (part.level == level_udp && part.type == udp_segment) return part.segment;
    const u64 length = (part.length + 7) & ~7ull;
    if (part.length < header_bytes || length > control.bytes) return 0;
    control.address += length;
    control.bytes -= length;
  }
  return 0;
}

// A send of UDP that the kernel divides into datagrams of this size; 0: it does not.
static __always_inline u32 segment_sent(const struct sock* sk, const struct thread_state* state) {
  if (!is_udp(sk)) return 0;
  const u32 segment = segment_in_control(state);
  const struct udp_sock* udp = (const struct udp_sock*)sk;
  return segment ? segment : BPF_CORE_READ(udp, gso_size);
}

// The socket itself does not say what the other end of a datagram is.
static __always_inline int names_its_peer(const struct sock* sk, const struct thread_state* state) {
  return state->address && sk->sk_type == sock_dgram;
}

static __always_inline void sent(struct sock* sk, struct socket_state* socket, struct thread_state* state,
                                 struct task_struct* task, int result, u64 now) {
  if (result < 0 || (result == 0 && sk->sk_type == sock_stream)) return;
  if (is_udp(sk) && state->call != dpm_call_transfer) {  // it may become a datagram with what follows (MSG_MORE)
    const struct udp_sock* udp = (const struct udp_sock*)sk;
    socket->sent += result;
    if (BPF_CORE_READ(udp, pending)) return;
    result = socket->sent;
    socket->sent = 0;
  }
  struct dpm_record record;
  begin_record(&record, dpm_sent, now, task, state);
  if (state->began_ns) record.cpu_ns = state->began_cpu_ns;
  record.offset = sk->sk_type == sock_stream ? offset_before(sk, socket, result, 1) : segment_sent(sk, state);
  record.file = socket->file;
  record.result = result;
  if (state->call == dpm_call_transfer) {  // it moves many parts
    if (state->moved_bytes == 0) state->moved_offset = record.offset;
    state->moved_bytes += result;
    state->moved_file = socket->file;
    return;
  }
  if (!names_its_peer(sk, state)) {
    put_record(&record, state);
  } else if (sk->__sk_common.skc_family == af_unix) {
    put_datagram_to_path(&record, state);
  } else {
    put_datagram(&record, state);
  }
  ++state->entry;
}

static __always_inline int is_unix_datagram(const struct sock* sk) {
  return sk->__sk_common.skc_family == af_unix && sk->sk_type == sock_dgram;
}

static __always_inline void received(struct sock* sk, struct socket_state* socket, struct thread_state* state,
                                     struct task_struct* task, int result, int flags, u32 merged_size, u64 now) {
  const int is_stream = sk->sk_type == sock_stream;
  const int nothing = result < 0 || (result == 0 && (is_stream || (sk->sk_shutdown & 1)));
  if (state->has_datagram) {  // the kernel has written the name of the one before
    put_datagram(&state->datagram, state);
    state->has_datagram = 0;
    ++state->entry;
  }
  const int begins = state->began_ns == 0 || !state->has_asked;  // a ring's operation is its own call
  state->has_asked = 1;
  if (nothing && !begins) return;
  struct dpm_record record;
  begin_record(&record, nothing ? dpm_asked : dpm_received, now, task, state);
  record.offset = 0;
  const int is_urgent = !nothing && (flags & msg_oob) && is_tcp(sk);
  if (is_urgent) {
    record.offset = urgent_offset(sk);
    record.flags |= dpm_is_urgent;
  } else if (!nothing && is_stream) {
    record.offset = offset_before(sk, socket, result, 0);
    if (is_tcp(sk) && passes_urgent(sk, socket, result)) record.flags |= dpm_passed_urgent;
  } else if (!nothing) {
    record.offset = merged_size;
  }
  record.file = socket->file;
  record.result = !nothing && merged_size ? state->merged_bytes : result;
  if (!nothing && is_unix_datagram(sk)) {
    record.offset = state->datagram_from;
    record.result = state->datagram_bytes;
  }
  if (begins) record.flags |= dpm_began;
  if (flags & msg_dontwait) record.flags |= dpm_does_not_wait;
  const int tells_sender = names_its_peer(sk, state) && sk->__sk_common.skc_family != af_unix;
  if (nothing || !tells_sender || !state->began_ns) return put_record(&record, state);
  state->datagram = record;  // the kernel writes its sender's name when the call returns
  state->has_datagram = 1;
}

// By a helper thread of the kernel, for an io_uring of a metered process; the process's first thread gets it. When a
// process that is not metered uses the socket, only its offsets go on.
static __always_inline void moved_by_another(struct sock* sk, struct task_struct* task, int result, int sends) {
  enum { io_worker = 0x00000010 };
  struct socket_state* socket = bpf_sk_storage_get(&sockets, sk, 0, 0);
  struct task_struct* leader = (task->flags & io_worker) ? task->group_leader : 0;
  struct thread_state* state = leader ? bpf_task_storage_get(&threads, leader, 0, 0) : 0;
  if (state && !socket) socket = known_socket(sk);
  if (!socket) return;
  const u64 now = bpf_ktime_get_ns();
  const u64 offset = offset_before(sk, socket, result, sends);
  const int passed_urgent = !sends && is_tcp(sk) && passes_urgent(sk, socket, result);
  if (!state || !socket->file) return;
  struct dpm_record record = {.kind = sends ? dpm_sent : dpm_received, .time_ns = now, .descriptor = 0xffff};
  if (!sends) record.flags = passed_urgent ? dpm_began | dpm_passed_urgent : dpm_began;
  record.tid = state->followed.tid;
  record.offset = offset;
  record.file = socket->file;
  record.result = result;
  put_record(&record, state);
}

// Talk with the kernel is not a message between processes.
static __always_inline int talks_to_kernel(const struct sock* sk) {
  enum { af_netlink = 16, netlink_usersock = 2 };
  return sk->__sk_common.skc_family == af_netlink && sk->sk_protocol != netlink_usersock;
}

// Looking is not receiving. A UNIX socket has no queue of errors, and gives a message.
static __always_inline int only_looks(const struct sock* sk, int flags) {
  return (flags & msg_peek) || ((flags & msg_errqueue) && sk->__sk_common.skc_family != af_unix);
}

static __always_inline int moved(struct sock* sk, int result, int flags, int sends) {
  if (!exchanges_messages(sk)) {
    struct task_struct* by = bpf_get_current_task_btf();
    if (result > 0 && !talks_to_kernel(sk) && running_state_of(by)) count_bypass(dpm_bypass_other_socket, 1);
    return 0;
  }
  struct task_struct* task = bpf_get_current_task_btf();
  struct thread_state* state = running_state_of(task);
  if (!state) {
    if (result > 0 && !(flags & msg_peek)) moved_by_another(sk, task, result, sends);
    return 0;
  }
  state->is_told = 1;
  const u32 merged_size = state->merged_size;
  state->merged_size = 0;
  if (!sends && only_looks(sk, flags)) return 0;
  if (carries_nothing(sk, sk->sk_type, sk->__sk_common.skc_state)) return 0;
  struct socket_state* socket = known_socket(sk);
  if (!socket || !socket->file) return 0;
  const u64 now = bpf_ktime_get_ns();
  if (sends) {
    sent(sk, socket, state, task, result, now);
  } else {
    received(sk, socket, state, task, result, flags, merged_size, now);
  }
  return 0;
}

// The kernel may have merged several datagrams of UDP into one (UDP_GRO). It knows their size, whether the program asks for it or not.
static __always_inline void note_merged(const struct sk_buff* datagram, struct task_struct* task) {
  enum { merged_udp = 1 << 17 };
  if (!task->bpf_storage) return;
  const struct skb_shared_info* both = (const struct skb_shared_info*)(datagram->head + datagram->end);
  struct thread_state* state = BPF_CORE_READ(both, gso_type) & merged_udp ? running_state_of(task) : 0;
  if (!state) return;
  state->merged_size = BPF_CORE_READ(both, gso_size);
  state->merged_bytes = datagram->len;
}

// As a datagram is copied to its receiver, the kernel still has the sender's UNIX socket with it, which may be closed.
SEC("tp_btf/skb_copy_datagram_iovec")
int BPF_PROG(on_copied, struct sk_buff* datagram, int bytes) {
  struct sock* sender = datagram->sk;
  struct task_struct* task = bpf_get_current_task_btf();
  if (!sender || !is_unix_datagram(sender)) return note_merged(datagram, task), 0;
  struct thread_state* state = running_state_of(task);
  if (!state) return 0;
  const struct socket_state* known = bpf_sk_storage_get(&sockets, sender, 0, 0);
  state->datagram_from = known && known->file ? known->file : number_of_socket(sender);
  state->datagram_bytes = datagram->len;
  return 0;
}

SEC("tp_btf/sock_send_length")
int BPF_PROG(on_sent, struct sock* sk, int result, int flags) { return moved(sk, result, flags, 1); }

SEC("tp_btf/sock_recv_length")
int BPF_PROG(on_received, struct sock* sk, int result, int flags) { return moved(sk, result, flags, 0); }

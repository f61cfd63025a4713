// What a descriptor or a socket is, and its name for user space.
#pragma once

#include "output.h"

// A file as it was found through a descriptor. Only its numbers are used.
struct found_file {
  struct file* file;
  struct inode* inode;
  u32 type;    // file_fifo, file_socket, or another
  u32 number;  // of the inode
  u32 flags;
  u32 is_anonymous;  // an eventfd, a timer, an epoll set, ...
};

// Lets the programs read an object of the kernel without a call for each member (since Linux 6.2).
extern void* bpf_rdonly_cast(const void* object, u32 type) __ksym __weak;
const volatile unsigned int can_cast;  // set by the loader

static __always_inline void look_at_file(struct file* at, struct found_file* found) {
  found->file = at;
  if (can_cast) {
    struct file* file = bpf_rdonly_cast(at, bpf_core_type_id_kernel(struct file));
    struct inode* inode = file->f_inode;
    found->inode = inode;
    found->type = inode->i_mode & file_type;
    found->number = inode->i_ino;
    found->flags = file->f_flags;
    found->is_anonymous = inode->i_sb->s_magic == anonymous_files;
    return;
  }
  struct inode* inode = BPF_CORE_READ(at, f_inode);
  found->inode = inode;
  found->type = BPF_CORE_READ(inode, i_mode) & file_type;
  found->number = BPF_CORE_READ(inode, i_ino);
  found->flags = BPF_CORE_READ(at, f_flags);
  found->is_anonymous = BPF_CORE_READ(inode, i_sb, s_magic) == anonymous_files;
}

static __always_inline int find_file(const struct task_struct* task, s32 descriptor, struct found_file* found) {
  struct files_struct* files = task->files;
  if (!files || descriptor < 0) return 0;
  struct fdtable* table = files->fdt;
  if (!table || (u32)descriptor >= table->max_fds) return 0;
  struct file** place = table->fd;
  struct file* file = 0;
  bpf_probe_read_kernel(&file, sizeof file, place + descriptor);
  if (!file) return 0;
  look_at_file(file, found);
  return 1;
}

// Of a file_socket. The verifier lets it be read, and nothing else.
static __always_inline const struct sock* sock_of(const struct found_file* found) {
  struct file* file = found->file;
  struct socket* socket = BPF_CORE_READ(file, private_data);
  return BPF_CORE_READ(socket, sk);
}

// As the links of descriptors in /proc show it, in nine characters.
static __always_inline int has_name(const struct found_file* found, const char wanted[9]) {
  if (!found->is_anonymous) return 0;
  struct file* file = found->file;
  char name[16] = "";
  bpf_probe_read_kernel_str(name, sizeof name, BPF_CORE_READ(file, f_path.dentry, d_name.name));
  for (int i = 0; i < 9; ++i)
    if (name[i] != wanted[i]) return 0;
  return 1;
}

static __always_inline int is_eventfd(const struct found_file* found) {
  static const char name[9] = "[eventfd]";
  return has_name(found, name);
}

// /dev/ptmx
static __always_inline int is_terminal_master(const struct found_file* found) {
  enum { file_character_device = 0020000, minor_bits = 20, major = 5, minor = 2 };
  if (found->type != file_character_device) return 0;
  struct inode* inode = found->inode;
  return BPF_CORE_READ(inode, i_rdev) == (major << minor_bits | minor);
}

static __always_inline int is_timerfd(const struct found_file* found) {
  static const char name[9] = "[timerfd]";
  return has_name(found, name);
}

// The pipe, FIFO or eventfd, told to user space when it is new. Its number is never given to another, so its description has
// no time: it comes before all that name it. It is told when it is in the ring, or else the record of another processor
// might come first.
static __always_inline struct pipe_state* pipe_of(const struct found_file* found, u32 flags) {
  struct pipe_name name = {};
  struct file* file = found->file;
  struct inode* inode = found->inode;
  if (flags & dpm_is_eventfd) {
    struct eventfd_ctx* counter = BPF_CORE_READ(file, private_data);
    name.inode = (u32)BPF_CORE_READ(counter, id);
    name.is_eventfd = 1;
  } else {
    name.inode = BPF_CORE_READ(inode, i_ino);
    name.device = BPF_CORE_READ(inode, i_sb, s_dev);
  }
  struct pipe_state* state = bpf_map_lookup_elem(&pipes, &name);
  if (!state) {
    const struct pipe_state fresh = {.file = __sync_fetch_and_add(&shared.files_numbered, 1) + 1};
    bpf_map_update_elem(&pipes, &name, &fresh, BPF_NOEXIST);
    state = bpf_map_lookup_elem(&pipes, &name);
  }
  if (!state) {
    __sync_fetch_and_add(&shared.unknown_files, 1);
    return 0;
  }
  if (state->is_told) return state;
  struct dpm_pipe_record* record = bpf_ringbuf_reserve(&news, sizeof *record, 0);
  if (!record) return state;  // told at the next use
  record->kind = dpm_pipe;
  record->time_ns = 0;
  record->inode = name.inode;
  record->device = name.device;
  record->file = state->file;
  record->flags = flags;
  record->unused = 0;
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
  state->is_told = 1;
  return state;
}

static __always_inline u32 number_of_socket(const struct sock* sk) {
  struct socket* socket = BPF_CORE_READ(sk, sk_socket);
  if (!socket) return 0;
  const struct socket_alloc* both = (const struct socket_alloc*)((const char*)socket);
  return BPF_CORE_READ(both, vfs_inode.i_ino);
}

// A listener, and a stream that was never connected. One that was reset keeps the port of its peer.
static __always_inline int carries_nothing(const struct sock* sk, u16 type, u8 state) {
  if (type != sock_stream || state == tcp_established) return 0;
  if (state == tcp_listen || state == tcp_syn_sent) return 1;
  return state == tcp_close &&
         (BPF_CORE_READ(sk, __sk_common.skc_family) == af_unix || BPF_CORE_READ(sk, __sk_common.skc_dport) == 0);
}

// Changes when the socket gets another name or another end.
static __always_inline u64 names_of(const struct sock* sk) {
  if (sk->__sk_common.skc_family != af_unix)
    return sk->__sk_common.skc_addrpair ^ (u64)sk->__sk_common.skc_portpair << 16 ^ 1;
  if (sk->sk_type != sock_dgram) return 1;  // connected once and for all
  const struct unix_sock* local = (const struct unix_sock*)sk;
  return (u64)BPF_CORE_READ(local, peer) ^ (u64)BPF_CORE_READ(local, addr) << 1 ^ 1;
}

// The side that connected counts its SYN as a byte that was acknowledged; that shows as long as nothing was sent again.
static __always_inline u32 counts_syn(const struct sock* sk) {
  const struct tcp_sock* tcp = (const struct tcp_sock*)sk;
  const u32 una = BPF_CORE_READ(tcp, snd_una), end = BPF_CORE_READ(tcp, write_seq), next = BPF_CORE_READ(tcp, snd_nxt);
  const u64 counted = BPF_CORE_READ(tcp, bytes_acked) + (u32)(end - una);
  const u64 written = BPF_CORE_READ(tcp, bytes_sent) - BPF_CORE_READ(tcp, bytes_retrans) + (u32)(end - next);
  return counted == written + 1;
}

static __noinline int name_unix(struct dpm_socket_record* record, const struct sock* sk) {
  const struct unix_sock* local = (const struct unix_sock*)sk;
  if (!record) return 0;
  struct unix_address* address = BPF_CORE_READ(local, addr);
  if (address) {
    record->local_length = BPF_CORE_READ(address, len) - sizeof(u16);
    bpf_probe_read_kernel(record->local_path, sizeof record->local_path, &address->name[0].sun_path);
  }
  const struct unix_sock* other = (const struct unix_sock*)BPF_CORE_READ(local, peer);
  if (!other) return 0;
  struct pid* connector = BPF_CORE_READ(sk, sk_peer_pid);
  if (connector) record->peer_pid = number_of(connector);
  record->is_connected = 1;
  record->peer_file = number_of_socket((const struct sock*)other);
  address = BPF_CORE_READ(other, addr);
  if (!address) return 0;
  record->peer_length = BPF_CORE_READ(address, len) - sizeof(u16);
  bpf_probe_read_kernel(record->peer_path, sizeof record->peer_path, &address->name[0].sun_path);
  return 0;
}

static __always_inline void name_internet(struct dpm_socket_record* record, const struct sock* sk) {
  record->local_port = BPF_CORE_READ(sk, __sk_common.skc_num);
  record->peer_port = __builtin_bswap16(BPF_CORE_READ(sk, __sk_common.skc_dport));
  if (record->family == af_inet) {
    const u32 local = BPF_CORE_READ(sk, __sk_common.skc_rcv_saddr), peer = BPF_CORE_READ(sk, __sk_common.skc_daddr);
    __builtin_memcpy(record->local, &local, sizeof local);
    __builtin_memcpy(record->peer, &peer, sizeof peer);
  } else {
    bpf_probe_read_kernel(record->local, sizeof record->local, &sk->__sk_common.skc_v6_rcv_saddr);
    bpf_probe_read_kernel(record->peer, sizeof record->peer, &sk->__sk_common.skc_v6_daddr);
  }
}

// True if user space knows the socket now. `sk` need not be trusted: it is only read.
static __noinline int tell_socket(const struct sock* sk, u64 now) {
  struct dpm_socket_record* record = bpf_ringbuf_reserve(&news, sizeof *record, 0);
  if (!record) return count_refused(process_number(bpf_get_current_task_btf()), dpm_socket);
  __builtin_memset(record, 0, sizeof *record);
  record->kind = dpm_socket;
  record->time_ns = now;
  record->file = number_of_socket(sk);
  record->family = BPF_CORE_READ(sk, __sk_common.skc_family);
  record->type = BPF_CORE_READ(sk, sk_type);
  record->protocol = BPF_CORE_READ(sk, sk_protocol);
  record->state = BPF_CORE_READ(sk, __sk_common.skc_state);
  record->is_connected = record->state != tcp_close && record->state != tcp_listen;
  if (record->type == sock_stream) record->is_connected = !carries_nothing(sk, record->type, record->state);
  if (record->family == af_unix) {
    // Its state says also that another is connected to it.
    if (record->type == sock_dgram) record->is_connected = 0;
    name_unix(record, sk);
  } else {
    name_internet(record, sk);
    if (record->protocol == protocol_tcp) record->syn_counted = counts_syn(sk);
  }
  bpf_ringbuf_submit(record, BPF_RB_NO_WAKEUP);
  return 1;
}

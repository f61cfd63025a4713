// The parts of the kernel's types that the programs read. The loader finds the members by name in the running kernel's
// own type information (CO-RE), so that their places here mean nothing.
#pragma once

// The helpers use the types of the first header.
// clang-format off
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>
#include <bpf/bpf_tracing.h>
// clang-format on

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long long u64;
typedef long long s64;

#define dpm_relocated __attribute__((preserve_access_index))

struct pt_regs {
  unsigned long bx, cx, r10, r9, r8, dx, si, di, orig_ax, ip;
} dpm_relocated;

struct inode;
struct file;

struct super_block {
  u32 s_dev;
  unsigned long s_magic;
} dpm_relocated;

struct inode {
  u16 i_mode;
  u32 i_rdev;
  unsigned long i_ino;
  struct super_block* i_sb;
} dpm_relocated;

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
  struct inode* f_inode;
  void* private_data;
  struct path f_path;
  u32 f_flags;
} dpm_relocated;

struct fdtable {
  u32 max_fds;
  struct file** fd;
} dpm_relocated;

struct files_struct {
  struct fdtable* fdt;
} dpm_relocated;

struct thread_info {
  u32 status, cpu;
} dpm_relocated;

struct sched_entity {
  u64 sum_exec_runtime;
} dpm_relocated;

struct sched_info {
  unsigned long pcount;
  u64 run_delay;
} dpm_relocated;

struct ns_common {
  u32 inum;
} dpm_relocated;

struct pid_namespace {
  struct ns_common ns;
} dpm_relocated;

struct upid {
  int nr;
  struct pid_namespace* ns;
} dpm_relocated;

struct pid {
  u32 level;
  struct upid numbers[1];
} dpm_relocated;

struct kernfs_node {
  u64 id;
} dpm_relocated;

struct cgroup_root {
  int hierarchy_id;
} dpm_relocated;

struct cgroup;
struct cgroup_subsys_state {
  struct cgroup* cgroup;
  struct cgroup_subsys_state* parent;
} dpm_relocated;

struct cgroup {
  struct cgroup_subsys_state self;
  struct kernfs_node* kn;
  struct cgroup_root* root;
} dpm_relocated;

struct css_set {
  struct cgroup* dfl_cgrp;
} dpm_relocated;

struct task_struct {
  struct thread_info thread_info;
  u32 __state;
  u32 flags;
  int pid, tgid;
  int exit_code;
  unsigned in_iowait : 1;
  u64 start_boottime;
  struct sched_entity se;
  struct sched_info sched_info;
  struct files_struct* files;
  struct task_struct* group_leader;
  struct pid* thread_pid;
  struct css_set* cgroups;
  void* bpf_storage;
  char comm[16];
} dpm_relocated;

struct kernel_siginfo {
  int si_code;
} dpm_relocated;

struct linux_binprm {
  const char* interp;
  struct file* file;
} dpm_relocated;

struct eventfd_ctx {
  int id;
} dpm_relocated;

// ---- sockets
struct in6_addr {
  u8 bytes[16];
};

struct sock_common {
  union {
    u64 skc_addrpair;
    struct {
      u32 skc_daddr, skc_rcv_saddr;
    };
  };
  union {
    u32 skc_portpair;
    struct {
      u16 skc_dport, skc_num;
    };
  };
  u16 skc_family;
  volatile u8 skc_state;
  unsigned long skc_flags;
  struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
} dpm_relocated;

struct socket {
  struct sock* sk;
} dpm_relocated;

struct socket_alloc {
  struct socket socket;
  struct inode vfs_inode;
} dpm_relocated;

struct sock {
  struct sock_common __sk_common;
  u16 sk_type, sk_protocol;
  u8 sk_shutdown;
  struct socket* sk_socket;
  struct pid* sk_peer_pid;
} dpm_relocated;

struct tcp_sock {
  u64 bytes_acked, bytes_received, bytes_sent, bytes_retrans;
  u32 write_seq, snd_una, snd_nxt, rcv_nxt, copied_seq, urg_seq;
} dpm_relocated;

struct udp_sock {
  int pending;
  u16 gso_size;
} dpm_relocated;

struct skb_shared_info {
  u16 gso_size;
  u32 gso_type;
} dpm_relocated;

struct sockaddr_un {
  u16 sun_family;
  char sun_path[108];
};

struct sk_buff {
  u32 len, end;
  unsigned char* head;
  struct sock* sk;
} dpm_relocated;

struct unix_address {
  int len;
  struct sockaddr_un name[1];
} dpm_relocated;

struct unix_sock {
  struct unix_address* addr;
  struct sock* peer;
} dpm_relocated;

enum { af_unix = 1, af_inet = 2, af_inet6 = 10 };
enum { sock_stream = 1, sock_dgram = 2, sock_seqpacket = 5 };
enum { protocol_tcp = 6, protocol_udp = 17, protocol_mptcp = 262 };
enum { tcp_established = 1, tcp_syn_sent = 2, tcp_syn_received = 3, tcp_close = 7, tcp_listen = 10 };
enum { msg_oob = 1, msg_peek = 2, msg_dontwait = 0x40, msg_errqueue = 0x2000 };
enum { anonymous_files = 0x09041934 };  // the number of the file system of files without a name
enum { file_type = 0170000, file_fifo = 0010000, file_socket = 0140000 };

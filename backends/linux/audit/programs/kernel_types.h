/* The members of the kernel's types that the programs read, found by name in the running kernel. */
#pragma once

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;

#define dpm_relocated __attribute__((preserve_access_index))

struct task_io_accounting {
  u64 rchar, wchar, syscr, syscw;
} dpm_relocated;

struct sched_entity {
  u64 sum_exec_runtime;
} dpm_relocated;

struct upid {
  int nr;
} dpm_relocated;

struct pid {
  u32 level;
  struct upid numbers[1];
} dpm_relocated;

struct inode {
  u16 i_mode;
  unsigned long i_ino;
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
  u32 f_mode;
} dpm_relocated;

struct fdtable {
  u32 max_fds;
  struct file** fd;
} dpm_relocated;

struct files_struct {
  struct fdtable* fdt;
} dpm_relocated;

struct thread_info {
  u32 status;
} dpm_relocated;

struct pt_regs {
  unsigned long r10, r8, dx, si, di, cx, bx;
} dpm_relocated;

struct io_uring_cqe {
  int res;
} dpm_relocated;

struct io_kiocb {
  struct file* file;
  u8 opcode;
} dpm_relocated;

struct task_struct {
  struct thread_info thread_info;
  int pid, tgid;
  u64 start_boottime;
  struct sched_entity se;
  struct task_io_accounting ioac;
  struct task_struct* group_leader;
  struct pid* thread_pid;
  struct files_struct* files;
  char comm[16];
} dpm_relocated;

struct eventfd_ctx {
  int id;
} dpm_relocated;

struct in6_addr {
  u8 bytes[16];
};

struct sock_common {
  u32 skc_daddr, skc_rcv_saddr;
  u16 skc_dport, skc_num, skc_family;
  unsigned long skc_flags;
  struct in6_addr skc_v6_daddr, skc_v6_rcv_saddr;
} dpm_relocated;

struct socket;
struct sock {
  struct sock_common __sk_common;
  struct socket* sk_socket;
  u8 sk_shutdown;
  u16 sk_type, sk_protocol;
} dpm_relocated;

struct socket {
  struct file* file;
  struct sock* sk;
} dpm_relocated;

struct tcp_sock {
  u64 bytes_received;
  u32 copied_seq, rcv_nxt, urg_seq;
} dpm_relocated;

struct udp_sock {
  int pending;
  u16 gso_size;
} dpm_relocated;

struct skb_shared_info {
  u16 gso_size;
  u32 gso_type;
} dpm_relocated;

struct sk_buff {
  u32 len, end;
  unsigned char* head;
} dpm_relocated;

// What the eBPF programs tell user space: records in ring buffers. C, because the programs are.
//
// A record of a message takes 40 bytes. Several things make that enough: a file is named by a number of 32 bits that was
// described before, one record of a receive stands for the call and for what it took, and the place in the program is told
// only when it is another than at the last call (dpm_site). So are the times that a thread has waited (dpm_waits).
#pragma once

enum dpm_record_kind {
  dpm_sent = 1,    // a call, or a part of it, moved `result` bytes into `file`
  dpm_received,    // the same out of it; with dpm_began the call is told by this record too
  dpm_asked,       // a receiving call began; it waits, or took nothing
  dpm_accepted,    // a connection was accepted: `file`; result: its descriptor
  dpm_connected,   // connect() of `file` returned
  dpm_created,     // socket(); offset: domain << 16 | type << 8 | protocol
  dpm_duplicated,  // `file`; result: the new descriptor
  dpm_closed,      // close() of `descriptor`
  dpm_listened,    // listen() of `file`
  dpm_waited,      // a call that waits for a child returned because of the child `result`
  dpm_slept,       // the thread waits at a futex
  dpm_gave,        // it lets the thread `file` go on there, for the `offset`th time; dpm_at_end: because it has ended
  dpm_took,        // its wait there is over because of the thread `file`: `offset` and flag as told by that one
  dpm_message_kinds,

  dpm_site = 16,  // struct dpm_site_record
  dpm_socket,     // struct dpm_socket_record
  dpm_pipe,       // struct dpm_pipe_record; its time is 0
  dpm_forked,     // struct dpm_task_record, as are the following
  dpm_executed,
  dpm_exited,   // the thread ends
  dpm_gone,     // it has run for the last time
  dpm_waits,    // struct dpm_waits_record
  dpm_entered,  // struct dpm_task_record: a thread that is followed from now on, because of struct dpm_scope
};

enum dpm_record_flag {
  dpm_began = 1,       // the record stands for the beginning of its call too, before_ns earlier
  dpm_is_pipe = 2,     // `file` is the number of a pipe or FIFO
  dpm_is_eventfd = 4,  // `file` is the number of an eventfd, and bytes are units
  dpm_does_not_wait = 8,
  dpm_coarse = 16,           // before_ns counts in units of 2^20 ns
  dpm_has_address = 32,      // a struct dpm_address follows: the other end of a datagram
  dpm_at_end = 64,           // nothing was received because nothing more can come
  dpm_in_call = 128,         // made by a call that was seen to begin
  dpm_has_path = 2048,       // a struct dpm_path_address follows, likewise
  dpm_is_urgent = 4096,      // a byte of TCP that was taken out of its order: `offset` is its place in the stream
  dpm_passed_urgent = 8192,  // the stream has passed such a byte before these
  dpm_site_shift = 8,        // three bits: which of the thread's places in the program
};

struct dpm_record {
  unsigned long long time_ns : 56, kind : 8;        // by the clock that is never set, when the record was made
  unsigned long long cpu_ns : 48, descriptor : 16;  // CPU time of the thread; 0xffff: not known
  // Of the first byte in the stream; of a UNIX datagram that was received: the number of the socket that sent it
  unsigned long long offset : 48, flags : 16;
  unsigned int tid, file;
  int result;
  unsigned int before_ns;  // how long before time_ns the call began
};

struct dpm_address {
  unsigned char bytes[28];  // a struct sockaddr of the Internet
  unsigned int length;
};

struct dpm_datagram_record {
  struct dpm_record record;
  struct dpm_address peer;
};

struct dpm_path_address {
  unsigned char bytes[112];  // a struct sockaddr_un
  unsigned int length, unused;
};

struct dpm_path_record {
  struct dpm_record record;
  struct dpm_path_address peer;
};

struct dpm_site_record {
  unsigned long long time_ns : 56, kind : 8;
  unsigned int tid, slot;
  unsigned long long pc;
};

// What the thread has waited until now: told when it has changed.
struct dpm_waits_record {
  unsigned long long time_ns : 56, kind : 8;
  unsigned int tid, unused;
  unsigned long long ready_ns, disk_ns;
};

enum { dpm_path_max = 108, dpm_name_max = 16, dpm_file_max = 256, dpm_own_name_max = 64 };

struct dpm_socket_record {
  unsigned long long time_ns : 56, kind : 8;
  unsigned int file, peer_file;   // numbers of sockets' inodes
  unsigned int peer_pid, unused;  // of a connected UNIX socket: the process that connected, or that listened
  unsigned short family, type, protocol, state;
  unsigned char local[16], peer[16];
  unsigned short local_port, peer_port;
  unsigned char syn_counted, is_connected;
  unsigned short local_length, peer_length;  // of UNIX names, with the leading zero of an abstract one
  char local_path[dpm_path_max], peer_path[dpm_path_max];
};

struct dpm_pipe_record {
  unsigned long long time_ns : 56, kind : 8;
  unsigned long long inode;
  unsigned int device, file;
  unsigned int flags, unused;
};

struct dpm_task_record {
  unsigned long long time_ns : 56, kind : 8;
  unsigned long long cpu_ns, ready_ns, disk_ns;
  unsigned int tid, pid;          // whose change it is; of a fork: the creator
  unsigned int child, child_pid;  // of a fork
  unsigned int seen_as;           // of a fork: the child's process id in its creator's namespace
  unsigned int code;              // exit code as wait(2) tells it; of an exec: the thread's number before
  unsigned long long began_ns;    // of a fork: the child's, since the machine was started
  char name[dpm_name_max];
  char program[dpm_file_max];   // of an exec: the path that the kernel was given,
  char file[dpm_own_name_max];  // and the name of the file to which it leads
};

// What a metered call does, as user space reads it from its table of calls (backends/linux/calls/metered_call.hpp).
enum dpm_call {
  dpm_call_none,
  dpm_call_receive,
  dpm_call_send,
  dpm_call_accept,
  dpm_call_transfer,
  dpm_call_child,
  dpm_call_socket,
  dpm_call_pair,
  dpm_call_connect,
  dpm_call_dup,
  dpm_call_dup_to,
  dpm_call_close,
  dpm_call_listen,
  dpm_call_give,    // vmsplice(): into a pipe, or out of it
  dpm_call_copy,    // tee(): out of one pipe, where it stays, into another
  dpm_call_submit,  // io_submit()
  dpm_call_bypass,
};

enum { dpm_calls_max = 512 };

// What a call waits for that is not a child.
enum dpm_call_wait {
  dpm_wait_futex = 1,
  dpm_wait_file_lock,   // fcntl: only if it asks to wait
  dpm_wait_other_lock,  // semaphores
  dpm_wait_timer,
  dpm_wait_signal,
  dpm_wait_poll,     // messages, or a time; signals also as descriptors
  dpm_wait_receive,  // the same of one descriptor: not in a shape, but of each receiving call
};

// What the call of 32-bit code with the same number does.
enum dpm_in_32_bit {
  dpm_32_bit_other,
  dpm_32_bit_read,
  dpm_32_bit_write,
  dpm_32_bit_readv,
  dpm_32_bit_writev,
  dpm_32_bit_passes,  // moves something beside the socket layer, and is not followed
};

struct dpm_call_shape {
  unsigned char call;
  unsigned char flags_argument;    // its place among the arguments plus 1; 0: none
  unsigned char address_argument;  // of a struct sockaddr, likewise
  unsigned char is_message;        // the argument is a struct msghdr, which points to the name; 2: an array of mmsghdr
  unsigned char needs_socket;      // it fails on other files
  unsigned char waits_for;         // dpm_call_wait; 0: something else
  unsigned char is_vector;         // the second argument is an array of struct iovec
  unsigned char bypasses;          // dpm_bypass, if the call succeeds
  unsigned char in_32_bit;         // dpm_in_32_bit
};

// Ways past the programs: what they move is counted, and not recorded.
enum dpm_bypass {
  dpm_bypass_none,
  dpm_bypass_aio,             // an operation of io_submit() on a pipe or eventfd
  dpm_bypass_ring,            // an io_uring, where the kernel does not tell what it moves beside sockets
  dpm_bypass_ring_operation,  // of io_uring, on a pipe or eventfd
  dpm_bypass_32_bit,          // a call of 32-bit code that is not followed, on a pipe or eventfd
  dpm_bypass_packets,         // a write into a pipe that keeps packets (O_DIRECT)
  dpm_bypass_other_socket,    // of a kind that is not followed
  dpm_bypass_terminal,        // a pseudo-terminal
  dpm_bypass_posix_queue,
  dpm_bypass_sysv_queue,
  dpm_bypass_memory,  // of another process
};

enum { dpm_bypasses_max = 4096 };

struct dpm_bypass_key {
  unsigned int pid, kind;
};

struct dpm_bypassing {
  unsigned long long calls;
  char name[dpm_name_max];  // of the process
};

// Accounts of waiting: how long a thread waited so that a process had its processor, until that process released a lock or sent a
// signal, or for a time.
enum dpm_wait_reason { dpm_reason_cpu, dpm_reason_lock, dpm_reason_timer, dpm_reason_signal };

enum { dpm_accounts_max = 16384 };

struct dpm_account_key {
  unsigned long long began_ns;  // the thread, since the machine was started
  unsigned int tid, reason;
  // Process id; 0: the processor was idle, or the wait has no rival; from 2^31 on: not of the meter's namespace.
  unsigned int rival, unused;
};

struct dpm_account {
  unsigned long long time_ns;
  unsigned long long rival_began_ns;
  char name[dpm_name_max];
};

// A thread that is followed, as user space or the programs found it: the beginning of the state that they keep of it.
struct dpm_followed {
  unsigned int tid, pid;
  unsigned char waits_to_begin;  // it will execute the metered program, and until then what it waits for is the meter
};

// Which threads are followed beside those that user space names, and their children.
struct dpm_scope {
  unsigned long long cgroup;  // the number of a cgroup (version 2): those that enter it, or are born in it; 0: none
  unsigned int everything;    // all that are born, but for those of the kernel
  unsigned int own_pid;       // neither this process nor what it starts
};

// Counters and settings, in memory that the programs and user space share.
struct dpm_shared {
  unsigned long long refused_others;    // records that a full ring refused, and that `refused` had no room to count
  unsigned long long unknown_threads;   // that could not be followed: there was no memory for their state
  unsigned long long unknown_files;     // the same of sockets and pipes
  unsigned long long bypassing_others;  // calls that passed the programs by, and that `bypassing` had no room for
  unsigned long long unaccounted_ns;    // of waits for which there was no account left
  unsigned long long wake_bytes;        // a ring that holds so much wakes the reader
  unsigned int files_numbered;          // pipes and eventfds
  unsigned int reader_sleeps;           // it waits to be woken
};

#ifdef __cplusplus
static_assert(sizeof(dpm_record) == 40, "millions of them wait in the rings");
#endif

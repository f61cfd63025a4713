// What the programs keep: a state of each metered thread, of each socket that one has used, and of pipes; and the rings.
#pragma once

#include "../kernel_record.h"
#include "kernel_types.h"

enum { sites_max = 8, pipes_max = 16384, refusals_max = 4096, ring_default_bytes = 1 << 20, news_bytes = 1 << 23 };

const volatile struct dpm_call_shape call_shapes[dpm_calls_max];
const volatile struct dpm_scope scope;

struct call_made {
  u64 first, second, third;  // arguments
  u32 number;
  u32 is_one;
};

// What a thread had done when a call began in which it may wait.
struct wait_start {
  u64 at_ns;  // 0: it is in no such call
  u64 cpu_ns, ready_ns, disk_ns;
};

// A process as accounts name it: by its first thread.
struct rival {
  u64 began_ns;
  u32 pid;
  char name[dpm_name_max];
};

struct thread_state {
  struct dpm_followed followed;
  u64 began_ns;  // its call; 0: in none
  u64 began_cpu_ns;
  u64 running_since_ns;             // 0: it does not run
  u64 cpu_at_switch_ns;             // what it had used then
  u64 left_ns;                      // when it left the processor; 0: it runs, or was never seen to leave
  u64 left_cpu_ns;                  // what it had used then,
  u64 left_delay_ns;                // and how long the kernel had let it wait for processors
  u64 woken_ns;                     // the last time
  u64 away_for_disk_ns;             // the last absence, if it was for a disk and is not in disk_ns yet
  u64 delay_before_ns;              // how long it had waited for processors when it began to be followed
  u64 ready_ns, disk_ns;            // in all waits that have ended,
  u64 told_ready_ns, told_disk_ns;  // and as user space knows
  u64 sites[sites_max];             // where its calls were made, as user space knows
  u64 address;                      // of the other end's name, in the program's memory
  u32 address_length;
  u32 entry;                    // of several messages: this one
  u32 told_sockets[sites_max];  // those that were told last when a call left
  u64 moved_offset;             // of a transfer: what went through a socket,
  s64 moved_bytes;              // and
  u32 moved_file;               // through which
  u32 moved_flags;
  u32 call, number;
  s32 descriptor;
  struct wait_start wait;
  u64 timed_out_ns;              // in polls, since its last event
  struct call_made interrupted;  // a receiving call that a signal ended
  u8 has_asked;                  // its RECEIVECALL has been told
  u8 is_told;                    // what it moved has been told
  u8 is_message;
  u64 arrivals;  // how often it had come to a processor, by the kernel's count, when it came last
  u8 left_ready, left_for_disk;
  u8 is_counted;       // delay_before_ns is known
  u8 waits_for;        // dpm_call_wait, of the call that it is in
  u8 is_clock;         // the last signal says that a time has come,
  u8 has_woken;        // and woke the thread, as one does for which it waits
  u32 ready_on;        // the processor in whose queue it is
  u32 woken_by;        // the thread that ran on the processor that woke it
  struct rival waker;  // of a lock
  u8 wakes_others;     // the call of futexes that it is in,
  u8 has_slept;        // and it has been told that it waits there
  u8 given_by_end;
  u32 given_by;  // the thread that let it go on there; 0: none that is known
  u64 given;     // how often one did
  struct rival signaller;
  u64 signalled_ns;                   // the last time
  u32 datagram_from, datagram_bytes;  // of the UNIX datagram that it takes: the sender's socket, and its length
  // A datagram that was received: its sender's name is written when the call returns.
  u8 has_datagram;
  u16 merged_size;   // of each of the datagrams that are being copied to it as one; 0: it is one
  u32 merged_bytes;  // of all of them
  struct dpm_record datagram;
};

struct {
  __uint(type, BPF_MAP_TYPE_TASK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct thread_state);
} threads SEC(".maps");

// The threads that came to each processor last, with the time, in a circle.
enum { turns_kept = 64 };

struct turn {
  u64 from_ns;
  u32 tid, unused;
  struct rival who;
};

struct turns {
  u64 count;
  struct turn last[turns_kept];
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY);
  __uint(max_entries, 1);
  __type(key, u32);
  __type(value, struct turns);
} processors SEC(".maps");

// All of its memory is taken at the beginning: a program that asks for some in the midst of a switch may not get it.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, dpm_accounts_max);
  __type(key, struct dpm_account_key);
  __type(value, struct dpm_account);
} accounts SEC(".maps");

struct socket_state {
  u64 names;  // those that were told
  u64 sent, received;
  u32 file;
  u32 syn_counted;
  u32 read_seq;  // up to where TCP has been read,
  u32 was_read;  // if it has
};

struct {
  __uint(type, BPF_MAP_TYPE_SK_STORAGE);
  __uint(map_flags, BPF_F_NO_PREALLOC);
  __type(key, int);
  __type(value, struct socket_state);
} sockets SEC(".maps");

struct pipe_name {
  u64 inode;
  u32 device;
  u32 is_eventfd;
};

struct pipe_state {
  u64 sent, received;
  u32 file, is_told;
};

struct {
  __uint(type, BPF_MAP_TYPE_LRU_HASH);
  __uint(max_entries, pipes_max);
  __type(key, struct pipe_name);
  __type(value, struct pipe_state);
} pipes SEC(".maps");

// One for each processor, and one more for what is rare and must not be lost: processes, names of sockets.
struct ring {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, ring_default_bytes);
};

struct {
  __uint(type, BPF_MAP_TYPE_ARRAY_OF_MAPS);
  __uint(max_entries, 1);
  __type(key, u32);
  __array(values, struct ring);
} rings SEC(".maps");

// Each connection describes itself four times: thousands of them in the moments in which the reader does not come to run.
struct {
  __uint(type, BPF_MAP_TYPE_RINGBUF);
  __uint(max_entries, news_bytes);
} news SEC(".maps");

// Records that a full ring refused.
struct refusal {
  u32 pid, kind;
};

struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, refusals_max);
  __type(key, struct refusal);
  __type(value, u64);
} refused SEC(".maps");

// What passed the programs by.
struct {
  __uint(type, BPF_MAP_TYPE_HASH);
  __uint(max_entries, dpm_bypasses_max);
  __type(key, struct dpm_bypass_key);
  __type(value, struct dpm_bypassing);
} bypassing SEC(".maps");

struct dpm_shared shared;

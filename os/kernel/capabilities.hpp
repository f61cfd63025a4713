// What this machine lets a meter do: plain findings. Where only a trial shows the answer, trial processes are started.
// dpm doctor explains what the findings mean and what to do about them.
#pragma once

#include <cstdint>
#include <string>

#include "os/login_policy.hpp"

namespace dpm {

// An attempt: it worked, or it was refused with this errno, or it was not made because an attempt that it needs failed.
struct Attempt {
  bool made = false;
  int error_number = 0;

  bool worked() const { return made && error_number == 0; }
};

struct MachineCapabilities {
  std::string kernel_release;  // "6.1.0-18-amd64"
  std::string architecture;    // "x86_64"

  // By a supervisor that is not an ancestor of the program, as dpm meter's is not.
  Attempt notification;       // a filter with user notification, and a call that waited and was let go
  Attempt sync_wake_up;       // the supervisor runs on the CPU of the call that waits (since Linux 6.6)
  Attempt borrow_descriptor;  // pidfd_getfd
  Attempt read_memory;        // process_vm_readv
  Attempt transfer_counts;    // /proc/PID/task/TID/io
  Attempt thread_times;       // /proc/PID/task/TID/schedstat
  Attempt unix_peers;         // the socket diagnosis names the other end of a UNIX socket
  Attempt cpu_counter;        // perf_event_open for a process of this account

  std::string announcements_problem;  // why births and deaths of processes are not announced; empty: they are
  Attempt io_uring;

  bool may_administrate = false;   // CAP_SYS_ADMIN: a filter without no_new_privs
  bool may_trace_all = false;      // CAP_SYS_PTRACE
  bool no_new_privileges = false;  // set before us already
  int filters_above = 0;           // seccomp filters that this process runs under
  int yama_scope = -1;             // kernel.yama.ptrace_scope; -1: there is no Yama
  bool proc_mounted = false;
  bool proc_is_ours = false;            // it shows the processes of this process namespace, under their numbers here
  std::string hidden_processes;         // the option hidepid of /proc; empty: everything is shown
  std::uint64_t descriptors_max = 0;    // RLIMIT_NOFILE
  std::uint64_t descriptors_limit = 0;  // how far it may be raised
  LoginPolicy login;                    // what a logout ends
  std::string cgroup_problem;           // why programs cannot have cgroups of their own; empty: they can
  std::string kernel_source_problem;    // why eBPF programs cannot meter here, as the source says; empty: they can
  std::string tasks_problem;            // why the meter cannot start its processes and threads here; empty: it can
  std::string sockets_problem;          // why meters cannot have their sockets here; empty: they can
  std::string iterator_problem;         // why the kernel's iterator cannot look at threads here; empty: it can
};

// Starts two processes for a moment. Nothing about the calling process changes.
MachineCapabilities probe_capabilities();

}  // namespace dpm

// What this machine lets a meter do: plain findings, tried out on processes made for it wherever the kernel tells only
// those who try. What they mean, and what to do about them, is for the reader (dpm doctor) to say.
#pragma once

#include <cstdint>
#include <string>

namespace dpm {

// An attempt: it worked, or the errno with which it was refused. Not made: one that it needs had failed.
struct Attempt {
  bool made = false;
  int error_number = 0;

  bool worked() const { return made && error_number == 0; }
};

struct MachineCapabilities {
  std::string kernel_release;  // "6.1.0-18-amd64"
  std::string architecture;    // "x86_64"

  // By a supervisor that is not an ancestor of the program, as dpm meter's is not.
  Attempt notification;       // a filter with user notification, and a call that waited and went on
  Attempt sync_wake_up;       // the supervisor runs on the CPU of the call that waits (since Linux 6.6)
  Attempt borrow_descriptor;  // pidfd_getfd
  Attempt read_memory;        // process_vm_readv
  Attempt transfer_counts;    // /proc/PID/task/TID/io

  std::string announcements_problem;  // why births and deaths of processes are not announced; empty: they are
  Attempt io_uring;

  bool may_administrate = false;   // CAP_SYS_ADMIN: a filter without no_new_privs
  bool may_trace_all = false;      // CAP_SYS_PTRACE
  bool no_new_privileges = false;  // set before us already
  int filters_above = 0;           // seccomp filters that this process runs under
  int yama_scope = -1;             // kernel.yama.ptrace_scope; -1: there is no Yama
  bool proc_mounted = false;
  std::string hidden_processes;         // the option hidepid of /proc; empty: everything is shown
  std::uint64_t descriptors_max = 0;    // RLIMIT_NOFILE
  std::uint64_t descriptors_limit = 0;  // how far it may be raised
};

// Two processes are made for a moment; nothing about this one changes.
MachineCapabilities probe_capabilities();

}  // namespace dpm

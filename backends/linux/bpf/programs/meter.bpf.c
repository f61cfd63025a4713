// The programs that see what metered threads do: they sit at tracepoints of the running kernel, look only at threads that
// carry a thread_state, and write records into rings. They change nothing, and nothing waits for them.
//
//   sys_enter, sys_exit             when a call began; what it did, if it is not a socket's: pipes, accepts, waits
//   sock_send_length, _recv_length  what moved through a socket by any call (also io_uring and sendfile)
//   sched_switch                    CPU time, that a receiving call waits, and what has the processors
//   sched_waking, sched_wakeup_new  since when a thread is ready to run, and what released its lock or handed it over
//   sched_wakeup                    in which processor's queue it is
//   signal_generate                 who sent the signal that ends a wait
//   sched_process_fork, exec, exit  a child is known before its first instruction
//   cgroup_attach_task              who enters a cgroup that is metered
#include "calls.h"
#include "socket_functions.h"
#include "tasks.h"

char program_license[] SEC("license") = "GPL";

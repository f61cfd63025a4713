/* setmeter (metering report 4.1 and appendix C): a program chooses which of its own events are metered, or of those of a process that
 * it may control, and where they go.
 *
 *   dpm_setmeter(DPM_SELF, DPM_M_SEND | DPM_M_RECEIVE, DPM_NO_CHANGE);    only its messages, from now on
 *   dpm_setmeter(DPM_SELF, DPM_NONE, DPM_NO_CHANGE);                      nothing
 *   dpm_setmeter(pid, DPM_NO_CHANGE, connected);                          its events leave through this socket, to another filter
 *
 * The process must be metered already: by dpm meter or dpm acquire. Flags replace the former ones. Children inherit flags and
 * connection; a connection only while DPM_M_FORK is set. What arrives at a socket is the stream that 'dpm filter' reads on its
 * standard input (docs/trace-format.md). The meter keeps the socket open without a place in the process's descriptor table: the
 * caller may close its own.
 *
 * The call itself is a short connection to the meter over a UNIX socket, and the meter sees it as any other.
 */
#pragma once

#ifdef __cplusplus
extern "C" {
#endif

enum { DPM_SELF = -1, DPM_NO_CHANGE = -1, DPM_NONE = -2 };

/* One for each event of a trace, in the order of their numbers. */
enum {
  DPM_M_SEND = 1 << 0,
  DPM_M_RECEIVECALL = 1 << 1,
  DPM_M_RECEIVE = 1 << 2,
  DPM_M_MESSAGEQUEUED = 1 << 3,
  DPM_M_CREATEPATH = 1 << 4,
  DPM_M_DESTSOCKET = 1 << 5,
  DPM_M_FORK = 1 << 6,
  DPM_M_STARTPROCESS = 1 << 7,
  DPM_M_STOPPROCESS = 1 << 8,
  DPM_M_TERMPROC = 1 << 9,
  DPM_M_ACCEPT = 1 << 10,
  DPM_M_CONNECT = 1 << 11,
  DPM_M_SOCKET = 1 << 12,
  DPM_M_DUP = 1 << 13,
  DPM_M_EXEC = 1 << 14,
  DPM_M_GAP = 1 << 15,
  DPM_M_WAIT = 1 << 16,
  DPM_M_POINT = 1 << 17,
  DPM_M_VALUE = 1 << 18,
  DPM_M_SUMMARY = 1 << 19, /* of the machine, not of the process: chosen for all processes together */
  DPM_M_ALL = (1 << 20) - 1,
  DPM_M_IMMEDIATE = 1 << 30 /* sent at once instead of being buffered */
};

/* 0, or -1 with errno:
 *   EPERM      the process does not belong to the caller, who is not root
 *   ESRCH      no such process, a process that is not metered, or no such descriptor
 *   EINVAL     a flag that is not one, or a descriptor that is not a stream socket
 *   EIO        the meter refuses a connection: its trace keeps only a window of its names
 *   ETIMEDOUT  a meter does not answer */
int dpm_setmeter(int process, int flags, int socket);

#ifdef __cplusplus
}
#endif

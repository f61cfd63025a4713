/* What the audit's programs in the kernel count, for both sides: C and C++ read it. Numbers are totals since the audit began. */
#pragma once

enum dpm_audit_carrier {
  dpm_audit_tcp,
  dpm_audit_udp,
  dpm_audit_unix_stream,
  dpm_audit_unix_datagram,
  dpm_audit_pipe,
  dpm_audit_eventfd,
  dpm_audit_other,
  dpm_audit_carriers
};

enum dpm_audit_direction { dpm_audit_sent, dpm_audit_received };

struct dpm_audit_process_key {
  unsigned int pid; /* as the meter sees it */
  unsigned int unused;
  unsigned long long began_ns; /* since boot */
};

struct dpm_audit_process {
  unsigned long long cpu_ns;                              /* of its threads that are gone */
  unsigned long long characters_read, characters_written; /* as /proc/PID/io: rchar, wchar */
  unsigned long long calls_read, calls_written;           /* syscr, syscw */
  unsigned long long threads, threads_gone;
  char name[16];
};

struct dpm_audit_count_key {
  struct dpm_audit_process_key process;
  unsigned long long
      object; /* the number of its inode; of an eventfd, its id; of other sockets, family << 32 | protocol */
  unsigned int carrier, direction;
};

struct dpm_audit_count {
  unsigned long long bytes;      /* of an eventfd: units */
  unsigned long long operations; /* that moved something; of datagrams, also of no bytes */
  unsigned long long passed; /* urgent bytes of TCP that a receive has passed: the stream does not give them */
  unsigned long long cut; /* datagrams of which a part may have been dropped, because the program had no room for it */
};

/* A socket of the Internet. */
struct dpm_audit_name {
  unsigned short family, local_port, peer_port, unused;
  unsigned char local[16], peer[16];
};

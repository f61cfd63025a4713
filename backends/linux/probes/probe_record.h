// What the eBPF program of a probe tells its reader: in C, for both sides.
#pragma once

enum dpm_probe_record_kind { dpm_probe_hit = 1, dpm_probe_exec, dpm_probe_fork, dpm_probe_exit };

struct dpm_probe_record {
  unsigned long long time_ns;  // CLOCK_MONOTONIC
  unsigned long long value;    // of a hit: the argument, as its register has it
  unsigned kind;
  unsigned process, thread;  // of a fork: the child
  unsigned probe;            // of a fork: the parent
};

// Of an exec: the file, and the name it was called by.
#define dpm_probe_file_bytes 64
#define dpm_probe_path_bytes 256
struct dpm_probe_exec_record {
  struct dpm_probe_record record;
  char file[dpm_probe_file_bytes];
  char path[dpm_probe_path_bytes];
};

struct dpm_probe_lost_key {
  unsigned process, probe;
};

// The cookie of a probe: its number, and above it which value is wanted.
#define dpm_probe_value_shift 32
#define dpm_probe_no_value 0
#define dpm_probe_result 7  // 1 to 6: the argument
#define dpm_probe_unwanted 1
#define dpm_probe_wanted 2

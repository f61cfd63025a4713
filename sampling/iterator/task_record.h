/* What the program of programs/ writes of a thread. For both sides: C of the target bpf, and C++. */
#pragma once

enum { dpm_call_arguments = 6, dpm_stack_depth = 12 };

struct dpm_task_record {
  unsigned thread, process, parent, group, session;
  unsigned terminal; /* its device number as /proc/PID/stat has it; 0 if it has none */
  int foreground_group;
  unsigned threads; /* of its process */
  unsigned processor;
  unsigned flags;
  unsigned state; /* the kernel's bits */
  unsigned stack_frames;
  unsigned long long seen_ns;  /* CLOCK_MONOTONIC */
  unsigned long long began_ns; /* since the machine's start */
  unsigned long long ran_ns, waited_ns, turns;
  long long call; /* -1 outside of a call */
  unsigned long long arguments[dpm_call_arguments];
  unsigned long long stack[dpm_stack_depth]; /* addresses in the kernel, the innermost first */
};

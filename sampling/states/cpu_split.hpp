// Which of the threads that can run do run.
//
// /proc has one letter, R, for a thread on a CPU and for one that queues for it. At the instant of a sample the monitor
// itself is on a CPU, so a thread that it displaced would look queued although it runs the rest of the time; MON took the head
// of the run queue for the running process for this reason (S4 5.3). Here the scheduler's own counters decide: of the time
// since the last sample in which the thread could run, it ran the share p. Each thread collects its p as credit. Of the threads
// in letter R on one CPU the one with the most credit runs, if it has at least half a sample's, and pays one; the others
// queue. So never more than one runs on a CPU, and over a run the samples have the shares of the counters.
#pragma once

#include <cstdint>
#include <span>

#include "sampling/states/proc_text.hpp"
#include "sampling/states/state.hpp"

namespace dpm::sampling {

// Kept for each thread from sample to sample.
struct CpuCredit {
  double run = 0;
  double ran_ns = 0, waited_ns = 0;  // lately: what is older than some tens of milliseconds has faded
  std::uint64_t still_ns = 0;        // since the counters last changed
};

struct RunnableThread {
  CpuCounters before, now;  // at the last sample and at this one
  std::uint64_t elapsed_ns = 0;
  std::uint32_t processor = 0;
  CpuCredit* credit = nullptr;
  State state = State::cpu_queue;  // the answer
};

void split_cpu(std::span<RunnableThread> threads);

}  // namespace dpm::sampling

// A thread that is sampled: its files in /proc, and what was found last.
//
// The files are read one after the other while the thread goes on, so they may not belong together. The scheduler counts the
// turns that a thread had on a CPU: if the count is the same before and after, the thread did not run in between, and what
// was read holds for one instant. The same count, and the same letter, as at the last sample mean that the thread still
// waits where it waited then, and that nothing else has to be read; most threads of most programs are such.
#pragma once

#include <cstdint>
#include <string>

#include "sampling/proc/descriptor_lookup.hpp"
#include "sampling/proc/proc_file.hpp"
#include "sampling/proc/task_table.hpp"
#include "sampling/states/cpu_split.hpp"
#include "sampling/states/evidence.hpp"
#include "sampling/states/proc_text.hpp"

namespace dpm::sampling {

enum class Look : std::uint8_t {
  done,
  gone,     // it had ended before
  ending,   // it ended while we read, or its number is another's now
  refused,  // we may not look into it
};

class SampledThread {
 public:
  SampledThread(std::uint32_t process, std::uint32_t thread, bool stays_open);

  // Fills what the functions below return.
  Look look(DescriptorLookup& descriptors, std::string& buffer);
  // The same from a table of all threads.
  void take(const TaskLook& look, DescriptorLookup& descriptors);

  std::uint32_t thread() const { return thread_; }
  const StatLine& stat() const { return stat_; }
  const CpuCounters& counters() const { return counters_; }
  const Evidence& evidence() const { return evidence_; }
  // When this was so, on the clock that is never set.
  std::int64_t seen_ns() const { return seen_ns_; }
  // It waits where it waited at the last look, and did not run in between.
  bool waits_still() const { return waits_still_; }
  // It waited, but at each of several tries it moved, or its call could not be read: the evidence may be of more than one instant.
  bool is_bad() const { return is_bad_; }

  // Of sampling/states/cpu_split.hpp, kept from sample to sample.
  CpuCounters counters_before;
  std::uint64_t looked_at_ns = 0;  // 0: not yet
  CpuCredit credit;

 private:
  ReadOutcome read_counters(std::string& buffer, CpuCounters& counters);
  ReadOutcome read_stat_line(std::string& buffer);
  ReadOutcome read_call(std::string& buffer);
  void take_call(const SystemCall& call);
  void name_call(DescriptorLookup& descriptors);  // from all evidence
  Look read_wait(DescriptorLookup& descriptors, std::string& buffer);

  std::uint32_t thread_;
  ProcFile stat_file_, schedstat_file_, syscall_file_, wchan_file_;
  ProcFile stack_file_;  // read only where a thread waits for a page; not kept open
  StatLine stat_;
  CpuCounters counters_;
  Evidence evidence_;
  SystemCall last_call_;  // the last one that is known, for a call that begins again after a stop
  std::int64_t seen_ns_ = 0;
  bool has_evidence_ = false, waits_still_ = false, is_bad_ = false;
};

}  // namespace dpm::sampling

// CPU time, up to the end of a thread. Where it can be read at an end, in this order:
//
//   the clock       of a process that is dead but not gone, because its parent's wait is held, or has not come: exact
//   a counter       opened in time (CpuCounter), of the whole process if it had one thread then: exact, except for time
//                   that a virtual machine was not given
//   the difference  of a thread among others: its process's clock less what the others have, exact while they exist; of
//                   several that ended at once, each gets an equal share of what is left
//   the parent      which has the sum of its reaped children, to 10 ms each of user and system time: what that sum has
//                   beyond what is known of them. One child can be off by that much, the sum is not
//
// What none of them tells is unknown, and counted.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class CpuTimes {
 public:
  // `counters_allowed`: until the kernel has refused one.
  CpuTimes(Shared& shared, std::uint64_t call_cost_ns, bool counters_allowed)
      : shared_(shared), call_cost_ns_(call_cost_ns), counters_allowed_(counters_allowed) {}

  // A process that has run for some time is metered from now on: threads of it may have ended.
  void acquired(TrackedProcess& process, std::uint32_t pid) const;

  void read(TrackedThread& thread);
  // The thread ended at `end`.
  void read_last(TrackedThread& thread, LocalTime end);
  // The thread has executed a program, and goes on as the first of its process.
  void goes_on(TrackedThread& executing, TrackedThread& first);

  // Opens a counter, because its last CPU time may not be readable otherwise.
  void count(TrackedThread& thread);
  // Where ends of children cannot be held, their counters are opened while they run.
  void count_children(const TrackedProcess& process);

  // Counters of processes that ran when they were opened are compared with clocks until a tick has brought these up to
  // date, as CpuCounter needs it.
  bool has_to_compare() const { return !compared_.empty(); }
  void compare_counters(std::int64_t now_ns);

  // The process is gone: what stayed unknown of it is added up.
  void is_gone(const Kinship& kinship);
  std::optional<std::string> warning() const;

 private:
  struct Comparison {
    std::uint32_t tid = 0;
    std::int64_t until_ns = 0;
  };

  bool has_used_so_far(const TrackedThread& thread, std::uint64_t& cpu_ns) const;
  bool process_has_used(const TrackedThread& thread, std::uint64_t& cpu_ns) const;
  void has_used(TrackedThread& thread, std::uint64_t cpu_ns);
  std::optional<std::uint64_t> share_of_ended(TrackedThread& thread);
  bool is_taken_over(const TrackedThread& thread) const;
  void ask_parent(TrackedThread& thread);

  Shared& shared_;
  const std::uint64_t call_cost_ns_;
  bool counters_allowed_;
  std::vector<Comparison> compared_;
  std::uint64_t unknown_ends_ = 0;                             // processes whose CPU time to the end is not known,
  std::int64_t unknown_cpu_ns_ = 0;                            // how much it can be that is missing,
  LocalTime unknown_from_{INT64_MAX}, unknown_to_{INT64_MIN};  // and when that was
};

}  // namespace dpm

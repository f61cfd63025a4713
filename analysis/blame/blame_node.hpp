// The tree of a divided time: parts that do not overlap, and waits for other processes, whose time is divided in the same way.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/ids.hpp"

namespace dpm {

enum class BlamePart : std::uint8_t {
  cpu,        // it ran
  cpu_queue,  // it was ready, and others ran
  disk,       // it waited for a disk
  lock,       // idle, until another program released a lock
  timer,      // idle, for a time that it chose: it slept, or what it waited for did not come in time
  signal,     // idle, until a signal came
  other,  // idle, and nothing known ended it: people, devices, and where they are not known locks, timers and signals
  on_its_way,    // the message for which the process above waits had been sent
  not_split,     // the trace does not say which: the times are not measured
  not_sampled,   // of a division by samples: no sample was taken
  not_seen,      // no event covers this time: before the process's first event, after its last, or a process outside
  not_followed,  // processes wait for each other in a circle, or through more than BlameOptions::depth_max others
};
inline constexpr std::size_t kBlameParts = 12;

// Why one process waits for another.
enum class BlameWait : std::uint8_t {
  message,
  process_end,
  thread_end,
  signal,
  lock,
  room,  // the pipe or connection that it wrote to was full, until the other took something
};

// Of the parts cpu_queue, lock and signal: the program that had the CPU or the lock, or that sent the signal.
struct BlameRival {
  BlamePart part = BlamePart::cpu_queue;
  ProcessId process;  // none: it is not in the trace, and has a name
  std::string name;
  std::int64_t time_ns = 0;
};
// To the rival that is the same, or as another.
void add_rival(std::vector<BlameRival>& rivals, const BlameRival& rival);
void sort_longest_first(std::vector<BlameRival>& rivals);

struct BlameNode {
  ProcessId process;
  std::int64_t parts_ns[kBlameParts] = {};
  std::vector<BlameRival> rivals;  // the longest first; what they leave of their part, other programs had
  std::vector<BlameNode> waits;    // for other processes, the longest first
  BlameWait why = BlameWait::message;
  std::uint64_t times = 0;  // how often the process above waited for it

  std::int64_t of(BlamePart part) const { return parts_ns[static_cast<std::size_t>(part)]; }
  std::int64_t& of(BlamePart part) { return parts_ns[static_cast<std::size_t>(part)]; }
  std::int64_t total_ns() const;

  // The child that stands for waits of this kind, made where there is none yet.
  BlameNode& waited_for(ProcessId other, BlameWait kind);
  void sort_longest_first();
};

}  // namespace dpm

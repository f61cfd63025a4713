// What /proc says about the children of a process at this moment. Bookkeeping cannot replace it, because a process can
// get the children of another process (a subreaper), and lose its own, unseen.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dpm {

struct ChildState {
  static constexpr int kUnknownSignal = -1;

  std::uint32_t pid = 0;
  std::uint32_t parent_pid = 0;
  std::uint32_t group = 0;         // its process group
  char state = '?';                // as ps shows it
  int threads = 0;                 // the first one counts until its process is gone
  int exit_signal = 0;             // what its end sends to its parent, or kUnknownSignal
  std::uint32_t exit_code = 0;     // as wait(2) reports it
  std::uint64_t reaped_ticks = 0;  // CPU time of the children that it has reaped, and of their reaped children
  std::uint64_t reaped_faults =
      0;                      // page faults of these: each process has some, so this grows with each that is reaped
  std::string name;           // of 15 characters at most
  bool has_executed = false;  // a program, since it was forked; still known of a dead one
  bool is_exiting = false;    // its first thread: the kernel takes it down

  // All its threads have ended, and its parent has not reaped it.
  bool has_ended() const { return state == 'Z' && threads <= 1; }
  // It will have ended in a moment. Meanwhile the kernel frees its memory.
  bool is_ending() const { return is_exiting && state != 'Z' && threads <= 1; }
  bool is_stopped_by_tracer() const { return state == 't'; }
};

// From /proc/PID/stat: 8 us. Nothing if there is no such process.
std::optional<ChildState> read_child(std::uint32_t pid);

// The children that this thread itself has made, or got from a thread that ended. Costs 5 us.
std::vector<std::uint32_t> read_children_of_thread(std::uint32_t pid, std::uint32_t tid);

// The line itself, for tests.
std::optional<ChildState> parse_child(const char* stat);

// The children of a process in the order in which a wait of its thread `tid` considers them: the children of this
// thread, oldest first, then those of the other threads. Costs 5 us for each thread. Nothing if the kernel does not
// tell (CONFIG_PROC_CHILDREN), or if the process has more than `threads_max` threads.
std::optional<std::vector<std::uint32_t>> read_children(std::uint32_t pid, std::uint32_t tid, std::size_t threads_max);

}  // namespace dpm

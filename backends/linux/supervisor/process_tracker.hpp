// Keeps the records of threads and processes true: applies the forks, execs and ends that the kernel announces, or that
// a look finds, to the process table and the meter. It owns the other records of processes: CPU times, places in their code,
// ways past the meter, and children that have ended.
#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <unordered_map>
#include <vector>

#include "backends/linux/supervisor/bypass_watch.hpp"
#include "backends/linux/supervisor/child_waits.hpp"
#include "backends/linux/supervisor/code_places.hpp"
#include "backends/linux/supervisor/cpu_times.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

// As a shell shows how a process ended, from what wait(2) reports.
std::uint32_t exit_status(std::uint32_t wait_status);

// What other parts must do when a thread or process changes.
class ProcessObserver {
 public:
  virtual ~ProcessObserver() = default;

  // The thread has ended; its last counters can still be read. `number_goes_on`: another thread of its process executes
  // a program and has taken over its number.
  virtual void thread_ends(TrackedThread& thread, bool number_goes_on) = 0;
  // The thread executes another program: what its last call did to its memory is gone.
  virtual void program_changes(TrackedThread& thread) = 0;
  // Nothing may point to it any more.
  virtual void forget_thread(TrackedThread& thread) = 0;
  virtual void child_is_gone(std::uint32_t parent_pid, const ChildState& child) = 0;
  // All announcements so far have been applied.
  virtual void news_are_read() = 0;
};

class ProcessTracker {
 public:
  struct Program {
    std::uint32_t pid = 0;
    bool from_start = true;
    std::string command;
    MeterFlags flags;
  };
  struct Terms {
    Program program;
    std::uint64_t call_cost_ns = 0;  // CPU time that one notification costs the program
    bool callers = false;            // as in MeterOptions
    bool cpu_counters = true;
  };
  ProcessTracker(Shared& shared, const Terms& terms, ProcessObserver& observer);

  // Registers the first process, and all threads of an acquired program.
  void register_program();
  // The thread of a call, registered if it is new; nullptr if it is gone.
  TrackedThread* thread_of(std::uint32_t tid);
  void read_news();
  // ---- where the kernel announces nothing: forks, execs and ends are found by looking; each does nothing elsewhere
  void look_around();
  // The thread may have executed a program or ended, and its number may be another's by now.
  void look_at(TrackedThread& thread);
  void look_at_end(std::uint32_t tid);  // it may have ended
  void find_children(std::uint32_t pid);
  // The process has taken note of the end of a child that was never seen.
  void has_unseen_child(const TrackedThread& parent);

  // The supervisor saw the end before its announcement came.
  void process_has_ended(std::uint32_t pid, std::uint32_t wait_status);

  // ---- other records of processes
  CpuTimes& cpu_times() { return cpu_times_; }
  CodePlaces& places() { return places_; }
  BypassWatch& bypasses() { return bypasses_; }
  const BypassWatch& bypasses() const { return bypasses_; }
  ChildWaits& child_waits() { return child_waits_; }

  // About announcements, names and CPU times that are missing.
  std::vector<std::string> warnings() const;

 private:
  struct Creator {
    MeteredThread* thread = nullptr;
    bool itself = false;          // as in Processes::Birth
    bool executed_since = false;  // what the new process has: until then it had its creator's name
  };
  bool looks() const { return !shared_.news.tells_of_processes(); }
  TrackedThread* discover(std::uint32_t tid);
  TrackedThread* discover_process(std::uint32_t pid, std::uint32_t parent_pid);
  bool is_ours(std::uint32_t pid);
  Creator creator_of(std::uint32_t child_pid, std::uint32_t parent_pid);
  void note_first_look(TrackedProcess& process, std::uint32_t pid, bool is_new);
  void look_at_program(TrackedThread& thread);
  void look_at_last_program(TrackedThread& thread);
  void has_ended_unannounced(TrackedThread& thread);
  bool is_recorded_dead(std::uint32_t pid) const;
  void note_dead(std::uint32_t pid);
  TrackedThread& register_thread(std::uint32_t tid, std::uint32_t pid, Creator creator, LocalTime time);
  Processes::Birth birth_of(std::uint32_t tid, std::uint32_t pid, Creator creator);
  void join_kin(TrackedThread& thread, std::uint32_t creator_pid);
  void take_news();
  void read_forks_of(std::uint32_t pid);
  void announced(const ProcessChange& change);
  void forked(const ProcessChange& change, LocalTime time);
  void executed(TrackedThread& thread, LocalTime time);
  TrackedThread* takes_over(std::uint32_t pid, LocalTime time);
  void ended(TrackedThread& thread, std::uint32_t exit_code, LocalTime time, bool number_goes_on);
  void record_end(TrackedThread& thread, std::uint32_t exit_code, LocalTime time);
  void is_gone(std::uint32_t pid, const Kinship& kinship, LocalTime time);
  void adopt(std::uint32_t child_pid);
  void forget(TrackedThread& thread);

  Shared& shared_;
  ProcessObserver& observer_;
  const Program program_;
  CpuTimes cpu_times_;
  CodePlaces places_;
  BypassWatch bypasses_;
  ChildWaits child_waits_;
  std::deque<ProcessChange> news_;  // announced, and not read yet
  std::uint64_t news_lost_ = 0, unnamed_ = 0;
  int filters_min_ = 0;                                    // seccomp filters of each process of the program
  std::uint32_t look_from_ = 0;                            // the process with which the next look around begins
  std::unordered_map<std::uint32_t, std::uint64_t> dead_;  // when processes began that are dead, and not gone yet
  // What looking has missed, by the names of processes.
  std::vector<std::string> unseen_children_, parentless_, maybe_executed_, codeless_;
};

}  // namespace dpm

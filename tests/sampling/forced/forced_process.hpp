// A process that is forced into a state, as S4 7.1 did by hand, and what the sampler finds.
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sampling/counts/count_array.hpp"
#include "sampling/proc/task_table.hpp"

namespace dpm::sampling {

class ForcedProcess {
 public:
  // `enter` is called in the child, and is not expected to return.
  explicit ForcedProcess(const std::function<void()>& enter);
  ForcedProcess(const ForcedProcess&) = delete;
  ForcedProcess& operator=(const ForcedProcess&) = delete;
  ~ForcedProcess();

  std::uint32_t pid() const { return static_cast<std::uint32_t>(pid_); }

 private:
  pid_t pid_;
};

// Processes that are forced at once, each into its state. Each is looked at by every source that is possible here.
class ForcedStates {
 public:
  void add(State state, const std::function<void()>& enter);

  std::uint32_t pid_of_last() const { return all_.back().process->pid(); }

  struct Found {
    State expected;
    std::string_view source;
    LevelCounts counts;
  };
  // Waits until all are in their states (at most two seconds each), then samples them.
  std::vector<Found> sampled(int samples = 200);

 private:
  struct Forced {
    State state;
    std::unique_ptr<ForcedProcess> process;
  };
  std::vector<Forced> all_;
};

// The kernel's iterator, which is loaded once; null if it is not possible here, with the reason on the standard output.
std::unique_ptr<TaskLooker> iterator_if_possible();

// Waits until the processes are in one of the states (at most two seconds), then samples them.
LevelCounts sampled(const std::vector<std::uint32_t>& pids, const std::vector<State>& expected, int samples = 200,
                    std::unique_ptr<TaskLooker> looker = nullptr);

// The share of samples in one of the states.
double share_in(const LevelCounts& counts, const std::vector<State>& states);

// The same of a process that enters the state again and again: between two waits it runs, or is in the queue for a CPU
// that others use.
double share_of_waits_in(const LevelCounts& counts, const std::vector<State>& states);

// "cpu_run 3, child 197": for messages.
std::string found_text(const LevelCounts& counts);

}  // namespace dpm::sampling

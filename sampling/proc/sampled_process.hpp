// A process that is sampled, with its threads.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sampling/proc/sampled_thread.hpp"

namespace dpm::sampling {

class SampledProcess {
 public:
  // `start_ticks`: when it began; 0: not known. A process with the same number that began at another time is another one. `terminal`:
  // that of its parent, for a process that has none itself.
  SampledProcess(std::uint32_t pid, std::uint64_t start_ticks, std::string quota_folder, std::uint32_t terminal = 0)
      : pid_(pid), start_ticks_(start_ticks), quota_folder_(std::move(quota_folder)), terminal_(terminal) {}

  // What one sample found.
  struct Found {
    std::vector<SampledThread*> threads;  // valid until the next look
    std::size_t ending = 0;               // threads that ended while we read, or whose number is another's now
    bool refused = false;                 // we may not look into it
    bool gone = false;                    // the whole process has ended
  };
  Found look(DescriptorLookup& descriptors, std::string& buffer, bool stays_open);
  // The same from its threads in a table.
  Found take(std::span<const TaskLook> threads, DescriptorLookup& descriptors);

  std::uint32_t pid() const { return pid_; }
  std::uint64_t start_ticks() const { return start_ticks_; }
  const std::string& quota_folder() const { return quota_folder_; }
  // Of its first thread that can be read. A process that has left its terminal (setsid) still belongs to it, in the background.
  const StatLine& stat() const { return stat_; }
  std::size_t thread_count() const { return threads_.size(); }

 private:
  bool list_threads(bool stays_open);
  Found replaced();
  void set_stat(const StatLine& stat);
  // By its first thread, which keeps its start time even if another one executes a program.
  bool is_another(std::uint32_t thread, const StatLine& stat) const {
    return thread == pid_ && start_ticks_ != 0 && stat.start_ticks != start_ticks_;
  }

  std::uint32_t pid_;
  std::uint64_t start_ticks_;
  std::string quota_folder_;
  std::vector<std::unique_ptr<SampledThread>> threads_;  // in place: a sample points at them
  StatLine stat_;
  std::uint32_t terminal_;  // the last that it had
};

}  // namespace dpm::sampling

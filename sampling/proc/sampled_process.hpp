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
  SampledProcess(std::uint32_t pid, std::string quota_folder) : pid_(pid), quota_folder_(std::move(quota_folder)) {}

  // What one sample found.
  struct Found {
    std::vector<SampledThread*> threads;  // valid until the next look
    std::size_t ending = 0;               // threads that ended while we read
    bool refused = false;                 // we may not look into it
    bool gone = false;                    // the whole process has ended
  };
  Found look(DescriptorLookup& descriptors, std::string& buffer, bool stays_open);
  // The same from its threads in a table.
  Found take(std::span<const TaskLook> threads, DescriptorLookup& descriptors);

  std::uint32_t pid() const { return pid_; }
  const std::string& quota_folder() const { return quota_folder_; }
  // Of its first thread that can be read.
  const StatLine& stat() const { return stat_; }
  std::size_t thread_count() const { return threads_.size(); }

 private:
  bool list_threads(bool stays_open);

  std::uint32_t pid_;
  std::string quota_folder_;
  std::vector<std::unique_ptr<SampledThread>> threads_;  // in place: a sample points at them
  StatLine stat_;
};

}  // namespace dpm::sampling

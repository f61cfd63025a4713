// The running threads and processes that the supervisor knows, by their ids.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_map>

#include "backends/linux/supervisor/tracked_thread.hpp"

namespace dpm {

class ProcessTable {
 public:
  using Threads = std::unordered_map<std::uint32_t, std::unique_ptr<TrackedThread>>;
  using Processes = std::unordered_map<std::uint32_t, std::shared_ptr<TrackedProcess>>;

  // nullptr if there is none of that number.
  TrackedThread* thread(std::uint32_t tid) const {
    const auto found = threads_.find(tid);
    return found == threads_.end() ? nullptr : found->second.get();
  }
  TrackedProcess* process(std::uint32_t pid) const {
    const auto found = processes_.find(pid);
    return found == processes_.end() ? nullptr : found->second.get();
  }
  const Threads& threads() const { return threads_; }
  const Processes& processes() const { return processes_; }

  // Replaces an earlier thread of that number.
  TrackedThread& put(std::uint32_t tid, std::unique_ptr<TrackedThread> thread) {
    return *(threads_[tid] = std::move(thread));
  }
  void erase_thread(std::uint32_t tid) { threads_.erase(tid); }
  std::shared_ptr<TrackedProcess>& process_place(std::uint32_t pid) { return processes_[pid]; }
  void erase_process(std::uint32_t pid) { processes_.erase(pid); }

 private:
  Threads threads_;
  Processes processes_;
};

}  // namespace dpm

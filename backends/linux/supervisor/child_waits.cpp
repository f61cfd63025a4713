#include "backends/linux/supervisor/child_waits.hpp"

#include <algorithm>
#include <utility>

namespace dpm {

void ChildWaits::add(std::uint32_t pid, TrackedThread& thread) { waiting_[pid].push_back(&thread); }

void ChildWaits::remove(std::uint32_t pid, TrackedThread& thread) {
  const auto found = waiting_.find(pid);
  if (found == waiting_.end()) return;
  std::erase(found->second, &thread);
  if (found->second.empty()) waiting_.erase(found);
}

std::vector<TrackedThread*> ChildWaits::of(std::uint32_t pid) const {
  const auto found = waiting_.find(pid);
  return found == waiting_.end() ? std::vector<TrackedThread*>() : found->second;
}

std::vector<TrackedThread*> ChildWaits::all() const {
  std::vector<TrackedThread*> threads;
  for (const auto& [pid, waiting] : waiting_) threads.insert(threads.end(), waiting.begin(), waiting.end());
  return threads;
}

EndedChild* ChildWaits::find(std::uint32_t pid) {
  const auto found = ended_.find(pid);
  return found == ended_.end() ? nullptr : &found->second;
}

void ChildWaits::look_at(std::uint32_t parent_pid) {
  if (std::find(looks_.begin(), looks_.end(), parent_pid) == looks_.end()) looks_.push_back(parent_pid);
}

std::vector<std::uint32_t> ChildWaits::take_looks() { return std::exchange(looks_, {}); }

}  // namespace dpm

// The smallest supervisor: every call that waits goes on, and is counted.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <thread>

#include "os/kernel/notification_slots.hpp"
#include "os/kernel/seccomp_listener.hpp"

namespace dpm {

class TestSupervisor {
 public:
  // With `slots`, the keeper knows which call it holds when it is killed.
  explicit TestSupervisor(UniqueFd listener, std::optional<NotificationSlots> slots = std::nullopt);
  ~TestSupervisor() { stop(); }

  void stop();  // from now on calls are not answered
  std::uint64_t calls() const { return calls_; }
  std::map<std::uint32_t, std::uint64_t> calls_by_thread() const;

 private:
  void run();

  SeccompListener listener_;
  std::optional<NotificationSlots> slots_;
  std::atomic<bool> stopping_{false};
  std::atomic<std::uint64_t> calls_{0};
  mutable std::mutex mutex_;
  std::map<std::uint32_t, std::uint64_t> by_thread_;
  std::thread thread_;
};

UniqueFd duplicate(const UniqueFd& fd);

}  // namespace dpm

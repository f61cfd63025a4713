// Accepted connections. Which connection an accept got shows only after the call (awaited_paths.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "backends/linux/supervisor/call_inspector.hpp"
#include "backends/linux/supervisor/shared.hpp"

namespace dpm {

class Accepts {
 public:
  Accepts(Shared& shared, CallInspector& inspector) : shared_(shared), inspector_(inspector) {}

  // The call goes on, and takes a connection that waits at this listener.
  void record(TrackedThread& thread, const Call& call, const Notification& notification, const Socket& listener);
  // The thread's accept is over: the kernel has written the other end's name.
  void is_over(TrackedThread& thread);
  // Finds the connections of old accepts that have not been used: each is in the descriptor table of the process or of a
  // child, or gone. Reading the tables takes at most a twentieth of the time, however long they are.
  void settle_old(std::int64_t now_ns);

 private:
  std::string internet_name_at(std::uint32_t tid, std::uint64_t address);
  std::size_t search_connections(TrackedThread& thread, std::uint32_t accepting_pid);
  bool is_missing_one(std::uint32_t pid, std::int64_t since_ns);
  void search_children(const TrackedThread& parent);
  void give_up_missing(std::uint32_t pid, std::int64_t since_ns, bool none_left);

  Shared& shared_;
  CallInspector& inspector_;
};

}  // namespace dpm

// What waits consisted of, where the trace says how long processes were ready to run and did not run.
#pragma once

#include <cstdint>

namespace dpm {

// Of a process's own waits, or of the time that messages spent in its queue.
struct WaitParts {
  std::uint64_t message_ns = 0;  // the process waited for a message, or for a connection
  std::uint64_t cpu_ns = 0;      // it was ready to run, and others had the CPU
  std::uint64_t disk_ns = 0;
  std::uint64_t ran_ns = 0;    // it ran: only messages wait meanwhile
  std::uint64_t other_ns = 0;  // it waited for something else, such as a timer, a lock or the end of a process

  std::uint64_t total_ns() const { return message_ns + cpu_ns + disk_ns + ran_ns + other_ns; }

  WaitParts& operator+=(const WaitParts& more) {
    message_ns += more.message_ns;
    cpu_ns += more.cpu_ns;
    disk_ns += more.disk_ns;
    ran_ns += more.ran_ns;
    other_ns += more.other_ns;
    return *this;
  }
  friend bool operator==(const WaitParts&, const WaitParts&) = default;
};

}  // namespace dpm

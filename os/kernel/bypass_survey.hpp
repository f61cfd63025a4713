// Ways past the meter that a process has open: data moves there without a system call that is notified.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace dpm {

struct SharedMemory {
  std::string device_and_inode;  // the same for all processes that share it
  std::string name;              // as /proc/PID/maps calls it
};

struct OpenBypasses {
  bool io_uring = false;                    // a ring of its own
  bool native = true;                       // false: a 32-bit program, whose calls have other numbers
  std::vector<SharedMemory> shared_memory;  // writable mappings that others may share
};

// Reads /proc/PID/fd, maps and exe. Costs milliseconds for a large process: never do this while a call waits.
OpenBypasses survey_bypasses(std::uint32_t pid);

// Whether one of its first few descriptors is a ring. Costs microseconds.
bool has_low_ring(std::uint32_t pid);

enum class ProgramKind { native, not_native, unknown };  // makes 64-bit calls, 32-bit calls, or has ended

// Opens one file.
ProgramKind program_kind(std::uint32_t pid);

}  // namespace dpm

// What the kernel reports about tasks whose call stacks it samples (stack_events.hpp), as values: read from the bytes of a ring.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace dpm {

struct StackRecord {
  enum class Kind : std::uint8_t {
    stack,      // of a running thread
    mapping,    // a process has mapped a file of code
    name,       // a thread has another name
    began,      // a thread or process
    ended,      // a thread
    lost,       // records for which the ring had no room; `lost` is 0 if it is not known yet whether there were any
    throttled,  // samples were held back, because they took the kernel too long
  };
  Kind kind = Kind::stack;
  std::uint32_t pid = 0, tid = 0;
  std::uint64_t time_ns = 0;         // on the clock of steady_clock_ns()
  std::uint32_t parent_pid = 0;      // of what began: its own process, if it is a thread
  bool is_exec = false;              // the name is that of a program that the process executes from now on
  std::string text;                  // the name, or the path of the file
  std::uint64_t start = 0, end = 0;  // of the mapping
  std::uint64_t file_offset = 0, inode = 0;
  std::uint64_t lost = 0;
  std::vector<std::uint64_t> stack;  // code addresses in user space: the one that runs, then those it returns to
};

// Appends the records. Kinds that are not known here are passed over. Returns how many could not be read: one that is too short for what
// it must have, or the rest of the bytes behind a length that cannot be.
std::uint64_t read_stack_records(std::span<const std::byte> bytes, std::vector<StackRecord>& records);

}  // namespace dpm

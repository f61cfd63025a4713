// Which program a process executes, told apart without its path: the kernel gives each program that begins 16 random
// bytes (AT_RANDOM of getauxval(3)). A fork copies them. If they differ, a program was executed in between, even if it
// is the same file again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace dpm {

struct ProgramImage {
  std::uint64_t random_at = 0;  // where in the process's memory
  std::array<std::byte, 16> random{};

  friend bool operator==(const ProgramImage&, const ProgramImage&) = default;
};

// From /proc/PID/task/TID/auxv and the thread's memory: 15 us. Nothing if the thread has ended, or may not be read.
std::optional<ProgramImage> read_program_image(std::uint32_t pid, std::uint32_t tid);

// Where the auxiliary vector of a 64-bit or 32-bit program says that the bytes are; 0 if it does not.
std::uint64_t random_bytes_at(const std::byte* vector, std::size_t bytes);

}  // namespace dpm

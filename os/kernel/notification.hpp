// A system call that waits in the kernel until its supervisor lets it go: the kernel's struct seccomp_notif, field for
// field, so that the kernel writes directly into memory that a keeper process can also read.
#pragma once

#include <array>
#include <cstdint>

namespace dpm {

inline constexpr std::uint32_t kNativeArch = 0xc000003e;  // x86-64, as the kernel's audit numbers it

struct Notification {
  std::uint64_t id = 0;  // never 0 for a real one; sequential for each listener
  std::uint32_t tid = 0;
  std::uint32_t flags = 0;
  std::int32_t call = 0;  // the system call's number, in the numbering of `arch`
  std::uint32_t arch = 0;
  std::uint64_t pc = 0;  // of the instruction after the system call
  std::array<std::uint64_t, 6> arguments = {};
};

static_assert(sizeof(Notification) == 80, "sizeof(struct seccomp_notif); seccomp_listener.cpp checks every field");

}  // namespace dpm

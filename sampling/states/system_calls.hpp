// What a system call can wait for, by its number: the kind of work, and which argument is the descriptor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace dpm::sampling {

// The line of /proc/PID/syscall.
struct SystemCall {
  static constexpr long kNotInACall = -1;  // interrupted while it computes: a page fault, the end of its time slice
  static constexpr long kUnknown = -2;     // running, or we may not look

  long number = kUnknown;
  std::array<std::uint64_t, 6> arguments = {};
};

// One word for calls that wait for the same: "read" of read, readv, recvmsg and accept. The words are those of the rules in
// state_rules.cpp. "fault" outside of a call, "" for a call that is not in the table.
std::string_view word_of(const SystemCall& call);

// A call that a stop interrupted begins again as restart_syscall, with its arguments. Only polls, waits at a futex and sleeps do so; the
// function of the kernel in which it waits says which. Other calls, and those of which that function is not known, stay as they are.
SystemCall begun_again(const SystemCall& call, std::string_view wchan);

// The descriptor that it works on.
std::optional<int> descriptor_of(const SystemCall& call);

// Where in the memory of the thread the rest of the question stands: the only descriptor of a poll or select, the type of
// a lock of fcntl. `bytes` is 0 if nothing has to be read.
struct RestOfCall {
  enum class Kind : std::uint8_t { nothing, poll_descriptor, select_sets, lock_type };
  Kind kind = Kind::nothing;
  std::uint64_t address = 0;
  std::size_t bytes = 0;
};
RestOfCall rest_of(const SystemCall& call);

}  // namespace dpm::sampling

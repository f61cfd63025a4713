// One thread held with ptrace: stopped wherever it is, looked at, changed, and let go on.
//
// The kernel lets a thread go when its tracer ends, whatever registers it has at that moment. So whoever changes
// registers makes sure that the thread can go on by itself from there.
#pragma once

#include <sys/types.h>
#include <sys/user.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "os/unique_fd.hpp"

namespace dpm {

class TracedThread {
 public:
  // Takes the thread, which goes on. `suspend_filters`: its seccomp filters do not count until it is let go (needs
  // CAP_SYS_ADMIN, and no filter on ourselves). Nothing if it is refused; errno says why.
  static std::optional<TracedThread> seize(std::uint32_t tid, bool suspend_filters);
  TracedThread(TracedThread&& other) noexcept : tid_(std::exchange(other.tid_, 0)), stopped_(other.stopped_) {}
  TracedThread& operator=(TracedThread&&) = delete;
  ~TracedThread();  // lets it go; one that never stopped is let go when our process ends

  enum class Stop {
    interrupted,    // between two instructions, or in a system call that can be made again: registers may be exchanged
    call_boundary,  // on its way into a system call, or out of it
    ended,
    none,  // not yet
  };
  void interrupt();  // asks it to stop at the next opportunity
  // Whether it has. Signals that come first reach it as if we were not there.
  Stop look();
  // On to the next beginning or end of a system call; waits for it.
  Stop run_to_call_boundary();
  // On to the next point where registers may be exchanged: out of a call, but no instruction further.
  Stop run_to_interruption();

  // Only while it is stopped. False if it is gone.
  bool read_registers(user_regs_struct& registers) const;
  bool write_registers(const user_regs_struct& registers) const;
  bool read_blocked_signals(std::uint64_t& signals) const;
  bool write_blocked_signals(std::uint64_t signals) const;
  // Also where the thread itself may not write. `address` and size are multiples of eight.
  bool write_memory(std::uint64_t address, std::span<const std::byte> bytes) const;

  // Where the thread goes on when it has been disturbed in a restartable sequence (rseq): the kernel would see the
  // disturbance and go there, but not if registers were exchanged meanwhile. 0 if it is in none.
  std::uint64_t sequence_restart(std::uint64_t pc) const;
  // A part of its system calls is carried out by the program itself (PR_SET_SYSCALL_USER_DISPATCH, as Wine does). False
  // too where the kernel (before 6.4) does not tell.
  bool dispatches_own_calls() const;

  std::uint32_t tid() const { return tid_; }

 private:
  explicit TracedThread(std::uint32_t tid) : tid_(tid) {}
  bool resume(int how, int signal = 0);
  Stop wait(int how, int wait_options, Stop wanted);

  std::uint32_t tid_ = 0;
  bool stopped_ = false;
};

}  // namespace dpm

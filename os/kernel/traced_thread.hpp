// One thread held with ptrace: it can be stopped anywhere, looked at, changed, and let go.
//
// When the tracer ends, the kernel lets the thread go with the registers it has at that moment. So code that changes
// registers must make sure that the thread can go on from there by itself.
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
  static constexpr std::uint64_t kNoCall =
      ~std::uint64_t{0};  // in orig_rax: the kernel makes no interrupted call again

  // Attaches to the thread, which goes on running. `suspend_filters`: its seccomp filters have no effect until it is
  // let go (needs CAP_SYS_ADMIN, and no filter on the calling process). Nothing if it is refused; errno tells why.
  static std::optional<TracedThread> seize(std::uint32_t tid, bool suspend_filters);
  TracedThread(TracedThread&& other) noexcept : tid_(std::exchange(other.tid_, 0)), stopped_(other.stopped_) {}
  TracedThread& operator=(TracedThread&&) = delete;
  ~TracedThread();  // lets it go; a thread that never stopped is let go when the calling process ends

  enum class Stop {
    interrupted,     // between two instructions, or in a system call that can be made again: registers may be exchanged
    call_boundary,   // on its way into a system call, or out of it
    forbidden_call,  // its filter did not let it make a call (SECCOMP_RET_TRAP)
    ended,
    none,  // not yet
  };
  void interrupt();  // asks it to stop at the next opportunity
  Stop stop();       // the same, and waits for that
  // Whether it has stopped. Signals that come first reach it as if it were not traced.
  Stop look();
  // Lets it run to the next beginning or end of a system call, and waits for that.
  Stop run_to_call_boundary();
  // Lets it run until its filter does not let it make a call, and waits for that. Signals, stops and continuations reach it as if
  // it were not traced. It gets `signal` first.
  Stop run_to_forbidden_call(int signal = 0);
  // Makes it make a call at the end of the call that it was interrupted in, and waits for the result. All its signals must be blocked.
  // Nothing if it has ended.
  std::optional<std::int64_t> make_call(const user_regs_struct& interrupted, long number,
                                        std::span<const std::uint64_t> arguments);
  // Lets it run to the next point where registers may be exchanged: out of a call, but no instruction further.
  Stop run_to_interruption();

  // Only while it is stopped. False if it is gone.
  bool read_registers(user_regs_struct& registers) const;
  bool write_registers(const user_regs_struct& registers) const;
  bool read_blocked_signals(std::uint64_t& signals) const;
  bool write_blocked_signals(std::uint64_t signals) const;
  // Works also on memory that the thread itself may not write. `address` and size are multiples of eight.
  bool write_memory(std::uint64_t address, std::span<const std::byte> bytes) const;

  // Where the thread must go on if it was interrupted in a restartable sequence (rseq), 0 if it was not in one. The
  // kernel itself moves an interrupted thread there, but not if registers were exchanged meanwhile.
  std::uint64_t sequence_restart(std::uint64_t pc) const;
  // Whether the program itself carries out some of its system calls (PR_SET_SYSCALL_USER_DISPATCH, as Wine does). Also
  // false if the kernel does not tell (before 6.4).
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

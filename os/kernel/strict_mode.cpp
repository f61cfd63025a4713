#include "os/kernel/strict_mode.hpp"

#include <fcntl.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <tuple>

#include "os/kernel/seccomp_program.hpp"
#include "os/kernel/traced_thread.hpp"
#include "os/kernel/tracee.hpp"
#include "os/unique_fd.hpp"

namespace dpm {
namespace {

using Stop = TracedThread::Stop;

constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};
constexpr std::uint64_t kRedZoneBytes = 128;  // below the stack pointer, which the code of a function may use
constexpr std::uint64_t kStackAlignment = 16;
constexpr long kExitOf32Bits = 1;
constexpr std::array kCallOf32Bits = {std::byte{0xcd}, std::byte{0x80}};  // int $0x80

// What the thread's memory gets for a moment: the filter, and where it is.
struct Installation {
  StrictProgram filter = strict_program();
  std::uint64_t instructions = std::tuple_size_v<StrictProgram>;  // struct sock_fprog
  std::uint64_t filter_at = 0;
};
using Bytes = std::array<std::byte, sizeof(Installation)>;
static_assert(sizeof(Installation) % sizeof(std::uint64_t) == 0);

// The kernel makes an interrupted call again, unless it is told otherwise (include/linux/errno.h: ERESTARTSYS and others).
bool waits_in_call(const user_regs_struct& registers) {
  const auto result = static_cast<std::int64_t>(registers.rax);
  const auto call = static_cast<long>(registers.orig_rax);
  return (call == SYS_prctl || call == SYS_seccomp) && result <= -512 && result >= -516;
}

// Some kernels also forbid a thread in strict mode to read the time-stamp counter.
bool strict_mode_forbids_clock() {
  const pid_t child = ::fork();
  if (child == 0) {
    ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT);
    asm volatile("rdtsc" : : : "rax", "rdx");
    ::syscall(SYS_exit, 0);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV;
}

std::int64_t install(TracedThread& thread, const user_regs_struct& registers, std::uint64_t described_at) {
  const std::array<std::uint64_t, 2> no_clock = {PR_SET_TSC, PR_TSC_SIGSEGV}, clock = {PR_SET_TSC, PR_TSC_ENABLE};
  const std::array<std::uint64_t, 2> no_new_privileges = {PR_SET_NO_NEW_PRIVS, 1};
  const std::array<std::uint64_t, 3> filter = {SECCOMP_SET_MODE_FILTER, 0, described_at};
  if (strict_mode_forbids_clock()) thread.make_call(registers, SYS_prctl, no_clock);
  auto result = thread.make_call(registers, SYS_seccomp, filter);
  if (result == -EACCES) {
    thread.make_call(registers, SYS_prctl, no_new_privileges);
    result = thread.make_call(registers, SYS_seccomp, filter);
  }
  if (result != 0) thread.make_call(registers, SYS_prctl, clock);
  return result.value_or(-ESRCH);
}

// The call that waits succeeds, or fails as the kernel would let it fail.
bool confine(TracedThread& thread) {
  user_regs_struct registers = {};
  std::uint64_t blocked = 0;
  if (!thread.read_registers(registers) || !waits_in_call(registers) || !thread.read_blocked_signals(blocked))
    return false;
  const std::uint64_t at = (registers.rsp - kRedZoneBytes - sizeof(Installation)) & ~(kStackAlignment - 1);
  Installation installation;
  installation.filter_at = at + offsetof(Installation, filter);
  Bytes written, before;
  std::memcpy(written.data(), &installation, sizeof installation);
  std::int64_t result = -EFAULT;
  if (read_memory(thread.tid(), at, before) == before.size() && thread.write_blocked_signals(kAllSignals)) {
    if (thread.write_memory(at, written))
      result = install(thread, registers, at + offsetof(Installation, instructions));
    thread.write_memory(at, before);
    thread.write_blocked_signals(blocked);
  }
  registers.rax = result == 0 ? 0 : static_cast<std::uint64_t>(-EINVAL);
  registers.orig_rax = TracedThread::kNoCall;
  return thread.write_registers(registers) && result == 0;
}

bool is_alone(std::uint32_t pid) {
  constexpr nlink_t kOwn = 2;  // a folder has as many links as folders in it, and two
  char path[32];
  std::snprintf(path, sizeof path, "/proc/%u/task", pid);
  struct stat status = {};
  return ::stat(path, &status) != 0 || status.st_nlink <= kOwn + 1;
}

// The instruction that made the call makes the next one, too, and takes numbers and arguments of its architecture.
void exit_thread(TracedThread& thread, user_regs_struct registers, std::uint64_t status) {
  std::array<std::byte, kCallOf32Bits.size()> instruction = {};
  read_memory(thread.tid(), registers.rip - instruction.size(), instruction);
  const std::array<std::uint64_t, 1> arguments = {status};
  registers.rbx = status;
  thread.make_call(registers, instruction == kCallOf32Bits ? kExitOf32Bits : SYS_exit, arguments);
}

// Strict mode ends the thread alone. SIGKILL would end its process.
void end(TracedThread& thread, std::uint32_t pid) {
  user_regs_struct registers = {};
  if (is_alone(pid)) {
    thread.run_to_forbidden_call(SIGKILL);
  } else if (thread.read_registers(registers)) {
    exit_thread(thread, registers, SIGKILL);
  }
}

// In a process that nothing ends but the end of the thread. It may not allocate memory: its parent has several threads.
[[noreturn]] void watch_over(std::uint32_t tid, std::uint32_t pid, int ready) {
  ::setsid();
  ::dup2(ready, 0);
  ::syscall(SYS_close_range, 1u, ~0u, 0);
  for (int signal = 1; signal <= SIGRTMAX; ++signal) ::signal(signal, SIG_IGN);
  ::signal(SIGCHLD, SIG_DFL);
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  ::prctl(PR_SET_NAME, "dpm-strict");
  auto thread = TracedThread::seize(tid, false);
  if (!thread || thread->stop() != Stop::interrupted || !confine(*thread)) ::_exit(1);
  const char done = 1;
  if (::write(0, &done, sizeof done) != sizeof done) ::close(0);
  ::close(0);
  if (thread->run_to_forbidden_call() == Stop::forbidden_call) end(*thread, pid);
  ::_exit(0);
}

}  // namespace

bool enter_strict_mode(std::uint32_t tid, std::uint32_t pid) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const UniqueFd reading(ends[0]);
  UniqueFd writing(ends[1]);
  const pid_t between = ::fork();
  if (between < 0) return false;
  if (between == 0) {
    if (::fork() == 0) watch_over(tid, pid, writing.get());
    ::_exit(0);
  }
  while (::waitpid(between, nullptr, 0) < 0 && errno == EINTR) {
  }
  writing.reset();
  char done = 0;
  ssize_t count = 0;
  while ((count = ::read(reading.get(), &done, sizeof done)) < 0 && errno == EINTR) {
  }
  return count == 1;
}

}  // namespace dpm

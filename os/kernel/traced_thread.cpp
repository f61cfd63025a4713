#include "os/kernel/traced_thread.hpp"

#include <sys/ptrace.h>
#include <sys/rseq.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>

#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

constexpr int kGetSyscallUserDispatch = 0x4211;  // PTRACE_GET_SYSCALL_USER_DISPATCH_CONFIG, since Linux 6.4
constexpr int kCallBoundary = SIGTRAP | 0x80;    // with PTRACE_O_TRACESYSGOOD
constexpr int kBySeccomp = 1;                    // SYS_SECCOMP
constexpr unsigned kCallInstructionBytes = 2;    // syscall
constexpr std::uint64_t kSignalSetBytes = sizeof(std::uint64_t);  // of the kernel's signal sets

// glibc has an enumeration for requests, which lacks the newer ones.
long request(int what, std::uint32_t tid, std::uint64_t address, const void* data) {
  return ::ptrace(static_cast<__ptrace_request>(what), static_cast<pid_t>(tid), address, data);
}

struct UserDispatch {  // struct ptrace_sud_config
  std::uint64_t mode, selector, offset, length;
};

template <typename T>
bool read_value(std::uint32_t tid, std::uint64_t address, T& value) {
  return read_memory(tid, address, std::as_writable_bytes(std::span(&value, 1))) == sizeof value;
}

}  // namespace

std::optional<TracedThread> TracedThread::seize(std::uint32_t tid, bool suspend_filters) {
  const std::uintptr_t options = PTRACE_O_TRACESYSGOOD | (suspend_filters ? PTRACE_O_SUSPEND_SECCOMP : 0);
  if (request(PTRACE_SEIZE, tid, 0, reinterpret_cast<const void*>(options)) != 0) return std::nullopt;
  return TracedThread(tid);
}

TracedThread::~TracedThread() {
  if (tid_ != 0 && stopped_) request(PTRACE_DETACH, tid_, 0, nullptr);
}

bool TracedThread::resume(int how, int signal) {
  stopped_ = false;
  return request(how, tid_, 0, reinterpret_cast<const void*>(static_cast<std::intptr_t>(signal))) == 0;
}

TracedThread::Stop TracedThread::wait(int how, int wait_options, Stop wanted) {
  while (true) {
    int status = 0;
    const pid_t seen = ::waitpid(static_cast<pid_t>(tid_), &status, __WALL | wait_options);
    if (seen == 0) return Stop::none;
    if (seen < 0 && errno == EINTR) continue;
    if (seen < 0 || !WIFSTOPPED(status)) return Stop::ended;
    stopped_ = true;
    Stop stop = Stop::none;
    int signal = 0;  // the signal that is about to be delivered
    if (status >> 16 == PTRACE_EVENT_STOP) {
      stop = Stop::interrupted;  // by us, or together with its whole process (SIGSTOP, a terminal's ^Z)
    } else if (WSTOPSIG(status) == kCallBoundary) {
      stop = Stop::call_boundary;
    } else {
      signal = WSTOPSIG(status);
    }
    if (stop == wanted) return stop;
    if (!resume(how, signal)) return Stop::ended;
  }
}

void TracedThread::interrupt() { request(PTRACE_INTERRUPT, tid_, 0, nullptr); }  // if it is gone, wait() sees it

TracedThread::Stop TracedThread::stop() {
  interrupt();
  return wait(PTRACE_CONT, 0, Stop::interrupted);
}

TracedThread::Stop TracedThread::look() { return wait(PTRACE_CONT, WNOHANG, Stop::interrupted); }

TracedThread::Stop TracedThread::run_to_call_boundary() {
  return resume(PTRACE_SYSCALL) ? wait(PTRACE_SYSCALL, 0, Stop::call_boundary) : Stop::ended;
}

TracedThread::Stop TracedThread::run_to_forbidden_call(int signal) {
  int how = PTRACE_CONT;
  while (resume(how, signal)) {
    int status = 0;
    while (::waitpid(static_cast<pid_t>(tid_), &status, __WALL) < 0)
      if (errno != EINTR) return Stop::ended;
    if (!WIFSTOPPED(status)) return Stop::ended;
    stopped_ = true;
    const bool is_stop = status >> 16 == PTRACE_EVENT_STOP;
    siginfo_t info = {};
    if (!is_stop && WSTOPSIG(status) == SIGSYS && request(PTRACE_GETSIGINFO, tid_, 0, &info) == 0 &&
        info.si_code == kBySeccomp)
      return Stop::forbidden_call;
    // While its process is stopped it stays so, until it is continued.
    how = is_stop && WSTOPSIG(status) != SIGTRAP ? PTRACE_LISTEN : PTRACE_CONT;
    signal = is_stop ? 0 : WSTOPSIG(status);
  }
  return Stop::ended;
}

std::optional<std::int64_t> TracedThread::make_call(const user_regs_struct& interrupted, long number,
                                                    std::span<const std::uint64_t> arguments) {
  user_regs_struct registers = interrupted;
  registers.rip -= kCallInstructionBytes;
  registers.rax = static_cast<std::uint64_t>(number);
  registers.orig_rax = kNoCall;
  const std::array into = {&registers.rdi, &registers.rsi, &registers.rdx, &registers.r10, &registers.r8};
  for (std::size_t i = 0; i < into.size(); ++i) *into[i] = i < arguments.size() ? arguments[i] : 0;
  if (!write_registers(registers) || run_to_call_boundary() == Stop::ended || run_to_call_boundary() == Stop::ended ||
      !read_registers(registers))
    return std::nullopt;
  return static_cast<std::int64_t>(registers.rax);
}

TracedThread::Stop TracedThread::run_to_interruption() {
  interrupt();
  return resume(PTRACE_CONT) ? wait(PTRACE_CONT, 0, Stop::interrupted) : Stop::ended;
}

bool TracedThread::read_registers(user_regs_struct& registers) const {
  return request(PTRACE_GETREGS, tid_, 0, &registers) == 0;
}

bool TracedThread::write_registers(const user_regs_struct& registers) const {
  return request(PTRACE_SETREGS, tid_, 0, &registers) == 0;
}

bool TracedThread::read_blocked_signals(std::uint64_t& signals) const {
  return request(PTRACE_GETSIGMASK, tid_, kSignalSetBytes, &signals) == 0;
}

bool TracedThread::write_blocked_signals(std::uint64_t signals) const {
  return request(PTRACE_SETSIGMASK, tid_, kSignalSetBytes, &signals) == 0;
}

bool TracedThread::write_memory(std::uint64_t address, std::span<const std::byte> bytes) const {
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, sizeof word);
    if (request(PTRACE_POKEDATA, tid_, address + at, reinterpret_cast<const void*>(word)) != 0) return false;
  }
  return true;
}

std::uint64_t TracedThread::sequence_restart(std::uint64_t pc) const {
  __ptrace_rseq_configuration registered = {};
  if (request(PTRACE_GET_RSEQ_CONFIGURATION, tid_, sizeof registered, &registered) <= 0) return 0;
  std::uint64_t described_at = 0;
  rseq_cs sequence = {};
  if (registered.rseq_abi_pointer == 0 ||
      !read_value(tid_, registered.rseq_abi_pointer + offsetof(rseq, rseq_cs), described_at) || described_at == 0 ||
      !read_value(tid_, described_at, sequence)) {
    return 0;
  }
  return pc - sequence.start_ip < sequence.post_commit_offset ? sequence.abort_ip : 0;
}

bool TracedThread::dispatches_own_calls() const {
  UserDispatch dispatch = {};
  return request(kGetSyscallUserDispatch, tid_, sizeof dispatch, &dispatch) == 0 && dispatch.mode != 0;
}

}  // namespace dpm

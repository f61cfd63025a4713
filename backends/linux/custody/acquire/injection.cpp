#include "backends/linux/custody/acquire/injection.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <climits>
#include <csignal>
#include <cstring>

#include "backends/linux/custody/acquire/code_room.hpp"
#include "backends/linux/custody/acquire/interrupted_call.hpp"
#include "backends/linux/custody/acquire/refusals.hpp"
#include "model/check.hpp"
#include "os/kernel/open_descriptors.hpp"
#include "os/kernel/tracee.hpp"

namespace dpm {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Stop = TracedThread::Stop;

constexpr std::uint64_t k64BitCode = 0x33;  // the code segment of 64-bit programs
constexpr std::uint64_t kNoCall = ~std::uint64_t{0};
constexpr std::uint64_t kAllSignals = ~std::uint64_t{0};

// The kernel signals that a thread has stopped or ended. The signal is blocked, so that none is missed.
sigset_t tidings() {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, SIGCHLD);
  return set;
}

void expect_tidings() {
  ::signal(SIGCHLD, SIG_DFL);
  const sigset_t set = tidings();
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

void await_tidings(std::chrono::nanoseconds most) {
  if (most.count() <= 0) return;
  const sigset_t set = tidings();
  const timespec timeout = {static_cast<time_t>(most.count() / 1'000'000'000),
                            static_cast<long>(most.count() % 1'000'000'000)};
  ::sigtimedwait(&set, nullptr, &timeout);
}

// The kernel also returns EPERM for a thread that has just ended.
bool is_gone(std::uint32_t tid) {
  const auto status = read_status(tid);
  return !status || status->state == 'Z' || status->state == 'X';
}

bool may_suspend_filters() {
  const auto self = read_status(static_cast<std::uint32_t>(::getpid()));
  return self && self->may_administrate && self->seccomp_filters == 0;
}

bool has_free_descriptor(std::uint32_t pid) {
  rlimit limit = {};
  if (::prlimit(static_cast<pid_t>(pid), RLIMIT_NOFILE, nullptr, &limit) != 0) return true;
  const auto numbers = read_descriptor_numbers(pid);
  const auto used = std::count_if(numbers.begin(), numbers.end(),
                                  [&](int number) { return static_cast<rlim_t>(number) < limit.rlim_cur; });
  return static_cast<rlim_t>(used) < limit.rlim_cur;
}

// Reads the registers of a stopped thread, and corrects them for our interruption.
bool correct_registers(const TracedThread& thread, user_regs_struct& registers) {
  user_regs_struct stopped = {};
  if (!thread.read_registers(stopped)) return false;
  registers = undisturbed(stopped);
  if (const auto restart = thread.sequence_restart(stopped.rip)) registers.rip = restart;
  const bool corrected = registers.rax != stopped.rax || registers.rip != stopped.rip;
  return !corrected || thread.write_registers(registers);
}

}  // namespace

// Checks first whether we may take descriptors: otherwise we could not get the listener, and a filter cannot be removed.
std::optional<Error> Injection::may_borrow() {
  const std::uint32_t tid = target_.threads.front().tid;
  process_ = open_thread(tid, target_.pid);
  if (!process_) return tracing_refused(target_, errno);
  errno = 0;
  const UniqueFd none = borrow_descriptor(process_.get(), INT_MAX);
  if (errno != EBADF) return tracing_refused(target_, errno);
  reserved_ = UniqueFd(::fcntl(process_.get(), F_DUPFD_CLOEXEC, 0));
  if (!reserved_) return Error::from_errno("keep a descriptor for the listener of an acquired program");
  return std::nullopt;
}

Result<void> Injection::seize_next() {
  while (seized_.size() + gone_ < target_.threads.size()) {
    const std::uint32_t tid = target_.threads[seized_.size() + gone_].tid;
    auto thread = TracedThread::seize(tid, target_.filters > 0);
    if (!thread) {
      const int why = errno;
      if (is_gone(tid)) {
        ++gone_;
        continue;
      }
      const bool is_suspension = why == EPERM && target_.filters > 0 && !may_suspend_filters();
      return is_suspension ? suspension_refused(target_) : tracing_refused(target_, why);
    }
    thread->interrupt();
    seized_.push_back(*std::move(thread));
    return {};
  }
  return {};
}

Result<void> Injection::stop(Duration patience) {
  if (auto error = may_borrow()) return *error;
  expect_tidings();
  seized_.reserve(target_.threads.size());
  const auto began = steady_clock::now();
  // One thread is enough. Another one is stopped only if this one is in uninterruptible sleep.
  constexpr milliseconds kAskNext{100};
  std::chrono::nanoseconds ask_after{0};
  while (thread_ == nullptr) {
    const auto waited = steady_clock::now() - began;
    if (waited > std::chrono::nanoseconds(patience.ns)) return unstoppable(target_, patience);
    if (waited >= ask_after || ended_ == seized_.size()) {
      if (auto seized = seize_next(); !seized) return seized;
      ask_after += kAskNext;
    }
    find_stopped();
    if (ended_ + gone_ == target_.threads.size()) return has_ended(target_);
    if (thread_ == nullptr && ended_ < seized_.size())
      await_tidings(std::min(ask_after, std::chrono::nanoseconds(patience.ns)) - (steady_clock::now() - began));
  }
  if (!correct_registers(*thread_, registers_) || !thread_->read_blocked_signals(blocked_signals_))
    return has_ended(target_);
  return check_stopped();
}

void Injection::find_stopped() {
  ended_ = 0;
  for (auto& thread : seized_) {
    const Stop stop = thread.look();
    if (stop == Stop::ended) ++ended_;
    if (stop != Stop::interrupted) continue;
    thread_ = &thread;
    return;
  }
}

Result<void> Injection::check_stopped() const {
  if (registers_.cs != k64BitCode) return Error{about(target_) + "it executes 32-bit code; dpm meters 64-bit programs"};
  if (thread_->dispatches_own_calls()) {
    return Error{about(target_) +
                 "it carries out system calls itself (syscall user dispatch, as Wine does), and those of dpm would be "
                 "among them; meter it from its start"};
  }
  return {};
}

Result<void> Injection::divert() {
  DPM_CHECK(thread_ != nullptr && !diverted_);
  Injected injected{filter_, target_.spare_number, blocked_signals_, unassisted(registers_)};
  const std::size_t bytes = injected_code(injected, 0).bytes.size();
  const auto room = find_code_room(target_.pid, bytes);
  if (!room)
    return Error{fmt::format("{}there is no room in its code for the {} bytes it takes", about(target_), bytes)};
  code_ = injected_code(injected, *room);
  overwritten_.resize(bytes);
  if (read_memory(thread_->tid(), *room, overwritten_) != bytes) return has_ended(target_);
  address_ = *room;
  if (!thread_->write_memory(address_, code_.bytes)) {
    const int why = errno;
    thread_->write_memory(address_, overwritten_);
    return Error{fmt::format("{}its code cannot be written to: {}", about(target_), std::strerror(why))};
  }
  user_regs_struct diverted = registers_;
  diverted.rip = code_.begin;
  diverted.orig_rax = kNoCall;  // or the kernel would make its interrupted call again, here
  diverted_ = true;
  if (!thread_->write_registers(diverted) || !thread_->write_blocked_signals(kAllSignals)) return has_ended(target_);
  return {};
}

// Lets the thread make the next injected call, and returns its result.
std::optional<std::int64_t> Injection::make_call() {
  if (thread_->run_to_call_boundary() != Stop::call_boundary) return std::nullopt;
  if (thread_->run_to_call_boundary() != Stop::call_boundary) return std::nullopt;
  between_calls_ = true;
  user_regs_struct registers = {};
  if (!thread_->read_registers(registers)) return std::nullopt;
  return static_cast<std::int64_t>(registers.rax);
}

bool Injection::go_to(std::uint64_t address) {
  user_regs_struct registers = {};
  if (!thread_->read_registers(registers)) return false;
  registers.rip = address;
  return thread_->write_registers(registers);
}

Result<UniqueFd> Injection::install(bool allow_no_new_privileges) {
  DPM_CHECK(diverted_);
  auto installed = make_call();
  bool gave_up = false;
  if (installed == -EACCES && allow_no_new_privileges) {
    // A process cannot take privileges back. The kernel looks for a descriptor only after it has asked for this.
    if (!has_free_descriptor(target_.pid)) return filter_refused(target_, EMFILE);
    if (!go_to(code_.begin_without_privileges) || !make_call()) return has_ended(target_);
    gave_up = true;
    installed = make_call();
  }
  if (!installed) return has_ended(target_);
  if (*installed < 0) return filter_refused(target_, static_cast<int>(-*installed));
  reserved_.reset();
  UniqueFd listener = borrow_descriptor(process_.get(), static_cast<int>(*installed));
  if (!listener) return Error::from_errno(about(target_) + "take its listener");
  // The kernel gives all threads the filters of the calling one.
  for (const auto& thread : target_.threads) {
    if (thread.tid == thread_->tid() && thread.no_new_privileges) gave_up = true;
  }
  bool all_had = true;
  for (const auto& thread : target_.threads) all_had = all_had && thread.no_new_privileges;
  privileges_given_up_ = gave_up && !all_had;
  return listener;
}

Result<void> Injection::keep() {
  if (!make_call() || !make_call()) return has_ended(target_);
  return {};
}

void Injection::restore() {
  if (diverted_ && between_calls_) thread_->run_to_interruption();
  if (diverted_) {
    // In this order: with blocked signals and restored registers it would not go on by itself.
    thread_->write_blocked_signals(blocked_signals_);
    thread_->write_registers(registers_);
    thread_->write_memory(address_, overwritten_);
    diverted_ = false;
  }
  // Other threads that were asked to stop may have stopped since.
  for (auto& thread : seized_) {
    user_regs_struct unused = {};
    if (&thread != thread_ && thread.look() == Stop::interrupted) correct_registers(thread, unused);
  }
  thread_ = nullptr;
  seized_.clear();
}

}  // namespace dpm

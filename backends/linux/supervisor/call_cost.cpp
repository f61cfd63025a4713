#include "backends/linux/supervisor/call_cost.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <atomic>
#include <csignal>
#include <ctime>
#include <new>
#include <span>

#include "os/fork_bound.hpp"
#include "os/kernel/futex.hpp"
#include "os/kernel/seccomp_listener.hpp"
#include "os/kernel/seccomp_program.hpp"
#include "os/kernel/tracee.hpp"
#include "os/process_handle.hpp"

namespace dpm {
namespace {

constexpr int kCalls = 250;  // 2 ms; with 1000 the results scatter as much

struct Trial {
  std::atomic<std::uint32_t> installed{0}, begin{0};
  int listener = -1;
  std::atomic<std::uint64_t> cost_ns{0};
};

std::uint64_t thread_cpu_time_ns() {
  timespec time = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(time.tv_nsec);
}

std::uint64_t cpu_time_of_calls() {
  const std::uint64_t before = thread_cpu_time_ns();
  for (int i = 0; i < kCalls; ++i) ::syscall(SYS_getppid);
  return (thread_cpu_time_ns() - before) / kCalls;
}

// The process that makes the calls: first without a filter, then notified.
[[noreturn]] void make_calls(std::span<const SeccompInstruction> notifying, Trial& trial) {
  const std::uint64_t bare_ns = cpu_time_of_calls();
  const UniqueFd listener = try_seccomp_program(notifying);
  trial.listener = listener.get();
  trial.installed.store(1);
  wake_all(trial.installed);
  if (!listener) ::_exit(1);
  while (trial.begin.load() == 0) wait_while(trial.begin, 0);
  const std::uint64_t notified_ns = cpu_time_of_calls();
  trial.cost_ns.store(notified_ns > bare_ns ? notified_ns - bare_ns : 0);
  ::_exit(0);
}

void answer_calls(pid_t child, Trial& trial, bool sync_wake_up) {
  constexpr long kLookNs = 50'000'000;
  const UniqueFd child_fd = open_process(static_cast<std::uint32_t>(child));
  while (trial.installed.load() == 0) {
    wait_while(trial.installed, 0, kLookNs);
    // A user who kills everything that a supervisor has started, to end the program, also kills this process.
    if (has_ended(child_fd.get())) return;
  }
  UniqueFd listener_fd = borrow_descriptor(child_fd.get(), trial.listener);
  if (!listener_fd) return;
  SeccompListener listener(std::move(listener_fd));
  if (sync_wake_up) listener.set_sync_wake_up(true);
  trial.begin.store(1);
  wake_all(trial.begin);
  for (int answered = 0; answered < kCalls;) {
    Notification notification = {};
    const auto received = listener.receive(notification);
    if (received == SeccompListener::Received::ended) return;
    if (received == SeccompListener::Received::none) continue;
    listener.let_go(notification.id);
    ++answered;
  }
}

}  // namespace

std::uint64_t measure_call_cost_ns(bool sync_wake_up) {
  void* page = ::mmap(nullptr, sizeof(Trial), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return 0;
  auto& trial = *new (page) Trial;
  static constexpr int kNotified[] = {SYS_getppid};
  const auto notifying = seccomp_program({kNotified, {}});
  const pid_t child = fork_bound();  // it ends with a supervisor that is killed now, and so do its descriptors
  if (child == 0) make_calls(notifying, trial);
  if (child > 0) {
    answer_calls(child, trial, sync_wake_up);
    if (trial.begin.load() == 0) ::kill(child, SIGKILL);  // it would wait without end
    int status = 0;
    ::waitpid(child, &status, 0);
  }
  const std::uint64_t cost_ns = trial.cost_ns.load();
  ::munmap(page, sizeof(Trial));
  return cost_ns;
}

}  // namespace dpm

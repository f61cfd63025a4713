#include "cli/meter/stay_beside.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "backends/linux/custody/keeper/program_lookup.hpp"
#include "os/unique_fd.hpp"

namespace dpm::cli {
namespace {

// The signals to pass on: all but those that stop and continue, which reach both processes or only the intended one, and
// those that report a fault of dpm itself.
sigset_t passed_on() {
  sigset_t signals;
  sigfillset(&signals);
  for (const int kept : {SIGTSTP, SIGTTIN, SIGTTOU, SIGCONT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS})
    sigdelset(&signals, kept);
  return signals;
}

// The terminal sends its signals to the whole foreground group, so the program already has them.
bool was_sent_to_us_alone(const siginfo_t& signal) { return signal.si_code != SI_KERNEL; }

// A process that is dead and not waited for has an exact clock, which the supervisor reads as soon as it hears of the end. A counter
// stops before the kernel frees the memory (os/kernel/cpu_counter.hpp).
void await_last_reading(pid_t program) {
  constexpr int kQuestionsMax = 200;
  constexpr timespec kBetween{0, 1'000'000};
  const auto kept = find_kept_program(static_cast<std::uint32_t>(program));
  if (!kept || kept->keeper_pid == 0) return;
  for (int i = 0; i < kQuestionsMax && has_process(*kept, static_cast<std::uint32_t>(program)); ++i)
    ::nanosleep(&kBetween, nullptr);
}

int await_program(pid_t program, const sigset_t& signals) {
  for (;;) {
    siginfo_t arrived = {};
    if (::sigwaitinfo(&signals, &arrived) < 0) continue;
    if (arrived.si_signo != SIGCHLD) {
      if (was_sent_to_us_alone(arrived)) ::kill(program, arrived.si_signo);
      continue;
    }
    // As the first process of a container, dpm gets orphans, too.
    siginfo_t ended = {};
    while (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0) {
      if (ended.si_pid == program) await_last_reading(program);
      int status = 0;
      if (::waitpid(ended.si_pid, &status, 0) == program) return status;
      ended = {};
    }
  }
}

void only_interrupt(int) {}

// The supervisor holds a lock on the directory until it has printed and written its results. The first signal that would
// end dpm ends the metering of the processes that the program left behind; the second ends dpm.
void await_supervisor(const UniqueFd& directory, pid_t program) {
  struct sigaction interrupt = {};
  interrupt.sa_handler = only_interrupt;
  interrupt.sa_flags = static_cast<int>(SA_RESETHAND);  // without SA_RESTART
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) ::sigaction(signal, &interrupt, nullptr);
  while (directory && ::flock(directory.get(), LOCK_SH) != 0 && errno == EINTR) {
    // The supervisor may already have stopped listening.
    [[maybe_unused]] const auto asked = ask_meter(static_cast<std::uint32_t>(program), "stop");
  }
}

int end_as(int status) {
  if (!WIFSIGNALED(status)) return WEXITSTATUS(status);
  const rlimit no_core = {0, 0};  // the program has left its own core file, if any
  ::setrlimit(RLIMIT_CORE, &no_core);
  ::signal(WTERMSIG(status), SIG_DFL);
  ::raise(WTERMSIG(status));
  return 128 + WTERMSIG(status);
}

}  // namespace

Result<std::optional<int>> stay_beside(const std::string& output_directory, const BeforeEnd& before_end) {
  const UniqueFd directory(::open(output_directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const sigset_t signals = passed_on();
  sigset_t before;
  ::sigprocmask(SIG_BLOCK, &signals, &before);
  const auto child_handling_before = ::signal(SIGCHLD, SIG_DFL);  // if ignored, waitpid() would not report the child
  const pid_t program = ::fork();
  if (program < 0) {
    const Error failed = Error::from_errno("start the program");
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return failed;
  }
  if (program == 0) {
    ::signal(SIGCHLD, child_handling_before);
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    return std::optional<int>();
  }
  const int status = await_program(program, signals);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
  await_supervisor(directory, program);
  const std::optional<int> instead = before_end(status);
  return std::optional(instead ? *instead : end_as(status));
}

}  // namespace dpm::cli

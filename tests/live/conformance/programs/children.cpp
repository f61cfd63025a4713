// Waiting for children: every way, what it returns, whose end it was, and how much CPU time the child had used.
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <string>
#include <thread>
#include <vector>

#include "tests/live/conformance/support/cases.hpp"

namespace dpm {
namespace {

constexpr int kComputeMs = 30;

long cpu_us(clockid_t clock) {
  timespec used{};
  clock_gettime(clock, &used);
  return static_cast<long>(used.tv_sec) * 1000000 + used.tv_nsec / 1000;
}

void compute_ms(long milliseconds) {
  const long until_us = cpu_us(CLOCK_THREAD_CPUTIME_ID) + milliseconds * 1000;
  while (cpu_us(CLOCK_THREAD_CPUTIME_ID) < until_us) {
  }
}

long micros(const timeval& time) { return static_cast<long>(time.tv_sec) * 1000000 + time.tv_usec; }

// A child that makes no metered call after it has used CPU time.
pid_t computes(const Actor& actor, int exit_code, int first_ms = 0) {
  return actor.forks("child", [=](const Actor&) {
    pause_ms(first_ms);
    compute_ms(kComputeMs);
    return exit_code;
  });
}

// Then its waits are not held, and counters tell what its children have used.
bool catches_child_signal() {
  struct sigaction action {};
  sigset_t blocked;
  sigaction(SIGCHLD, nullptr, &action);
  sigprocmask(SIG_BLOCK, nullptr, &blocked);
  return action.sa_handler != SIG_DFL && sigismember(&blocked, SIGCHLD) == 0;
}

// What a wait has returned: how the child ended, that this wait took note of it, and what it had used.
void returned(const Actor& actor, const std::string& call, pid_t child, pid_t got, int status, const rusage* used) {
  const int error = errno;
  actor.says(call + (got == child ? " returns the child" : got > 0 ? " returns another" : " returns none"));
  if (got <= 0) {
    errno = error;
    actor.result(call, got);
    return;
  }
  actor.expect("CHILDEND", got, "-");
  actor.expect_of(got, "END", status, "-");
  actor.says(call + ": status " + std::to_string(status));
  const char* kind = catches_child_signal() ? "COUNTED" : "CPU";
  if (used != nullptr) actor.expect_of(got, kind, micros(used->ru_utime) + micros(used->ru_stime), "-");
}

void waits4(const Actor& actor, const std::string& name, pid_t child, pid_t which, int options = 0) {
  int status = 0;
  rusage used{};
  const pid_t got = wait4(which, &status, options, &used);
  returned(actor, name, child, got, status, &used);
}

void wait4_by_number(const Actor& actor) {
  const pid_t child = computes(actor, 3);
  waits4(actor, "wait4", child, child);
}

void wait4_of_any(const Actor& actor) {
  const pid_t child = computes(actor, 4);
  waits4(actor, "wait4", child, -1);
  waits4(actor, "wait4 without children", 0, -1);
}

void wait4_of_group(const Actor& actor) {
  const pid_t other = computes(actor, 5, 100);
  const pid_t child = computes(actor, 6, 200);
  setpgid(other, other);
  waits4(actor, "wait4 of the own group", child, 0);
  waits4(actor, "wait4 of another group", other, -other);
}

void waitid_of(const Actor& actor, const std::string& name, idtype_t type, id_t id, pid_t child, int options) {
  siginfo_t info{};
  rusage used{};
  const long got = syscall(SYS_waitid, type, id, &info, options, &used);
  actor.says(name + ": " + std::to_string(got) + (info.si_pid == child ? " the child" : " not the child"));
  if (got != 0 || info.si_pid == 0) return;
  actor.says(name + ": code " + std::to_string(info.si_code) + " status " + std::to_string(info.si_status));
  if ((options & WNOWAIT) != 0) return;
  actor.expect("CHILDEND", info.si_pid, "-");
  actor.expect_of(info.si_pid, "CPU", micros(used.ru_utime) + micros(used.ru_stime), "-");
}

void waitid_of_all_types(const Actor& actor) {
  pid_t child = computes(actor, 1);
  waitid_of(actor, "P_PID", P_PID, static_cast<id_t>(child), child, WEXITED);
  child = computes(actor, 2);
  waitid_of(actor, "P_ALL", P_ALL, 0, child, WEXITED);
  child = computes(actor, 3);
  waitid_of(actor, "P_PGID", P_PGID, static_cast<id_t>(getpgrp()), child, WEXITED);
  child = computes(actor, 4);
  const int pidfd = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  waitid_of(actor, "P_PIDFD", static_cast<idtype_t>(3), static_cast<id_t>(pidfd), child, WEXITED);
  close(pidfd);
  waitid_of(actor, "none", P_ALL, 0, 0, WEXITED);
}

// The dead child is looked at first and taken note of later: its end was waited for once.
void waitid_twice(const Actor& actor) {
  const pid_t child = computes(actor, 7);
  waitid_of(actor, "WNOWAIT", P_PID, static_cast<id_t>(child), child, WEXITED | WNOWAIT);
  waitid_of(actor, "again", P_PID, static_cast<id_t>(child), child, WEXITED);
}

void without_hanging(const Actor& actor) {
  const pid_t child = computes(actor, 8, 50);
  int status = 0;
  rusage used{};
  pid_t got = 0;
  while ((got = wait4(child, &status, WNOHANG, &used)) == 0) pause_ms(1);
  returned(actor, "wait4 in a loop", child, got, status, &used);
}

// Children whose ends do not send SIGCHLD: only a wait with __WCLONE or __WALL takes note of them.
void clones(const Actor& actor) {
  signal(SIGUSR2, SIG_IGN);
  for (const int exit_signal : {0, SIGUSR2}) {
    for (const int options : {static_cast<int>(__WCLONE), __WALL}) {
      const pid_t parent = gettid();
      const auto child = static_cast<pid_t>(syscall(SYS_clone, exit_signal, 0, 0, 0, 0));
      if (child == 0) {
        actor.as("child").expect("BEGIN", parent, "-");
        pause_ms(60);
        _exit(9);
      }
      waits4(actor, "wait4 of an ordinary child", 0, child);
      int status = 0;
      const pid_t got = wait4(child, &status, options, nullptr);
      actor.says(got == child ? "the clone" : "not the clone");
      actor.expect("CHILDEND", got, "-");
      actor.expect_of(got, "END", status, "-");
    }
  }
}

// Which child ends first is up to the machine. A wait that asks for stops, too, is not held: counters tell what was used.
void take_all(const Actor& actor, int children) {
  for (int i = 0; i < children; ++i) {
    int status = 0;
    rusage used{};
    const bool is_held = i % 2 == 0;
    const pid_t got = wait4(-1, &status, is_held ? 0 : WSTOPPED, &used);
    actor.expect("CHILDEND", got, "-");
    actor.expect_of(got, "END", status, "-");
    actor.expect_of(got, is_held ? "CPU" : "COUNTED", micros(used.ru_utime) + micros(used.ru_stime), "-");
  }
}

void several(const Actor& actor) {
  std::vector<pid_t> children;
  for (int i = 0; i < 5; ++i) children.push_back(computes(actor, i, 40 * (5 - i)));
  take_all(actor, 5);
}

void several_dead(const Actor& actor) {
  for (int i = 0; i < 6; ++i) computes(actor, i, 20 * (i % 3));
  pause_ms(700);
  take_all(actor, 6);
}

volatile sig_atomic_t signals_seen = 0;
void note_signal(int) { signals_seen = signals_seen + 1; }

void handles(int signal, int flags) {
  struct sigaction action {};
  action.sa_handler = note_signal;
  action.sa_flags = flags;
  sigaction(signal, &action, nullptr);
}

// The child's own signal never makes a wait for it fail.
void caught(const Actor& actor, int flags) {
  handles(SIGCHLD, flags);
  for (int i = 0; i < 5; ++i) {
    const pid_t child = computes(actor, i, 30);
    waits4(actor, "wait4", child, child);
  }
  actor.says("signals " + std::to_string(signals_seen));
}

void caught_without_restart(const Actor& actor) { caught(actor, 0); }
void caught_with_restart(const Actor& actor) { caught(actor, SA_RESTART); }

void blocked_signal(const Actor& actor) {
  handles(SIGCHLD, 0);
  sigset_t child_signal;
  sigemptyset(&child_signal);
  sigaddset(&child_signal, SIGCHLD);
  sigprocmask(SIG_BLOCK, &child_signal, nullptr);
  const pid_t child = computes(actor, 9, 30);
  waits4(actor, "wait4", child, child);
  actor.says("signals " + std::to_string(signals_seen));
  sigprocmask(SIG_UNBLOCK, &child_signal, nullptr);
  actor.says("signals " + std::to_string(signals_seen));
}

// A child that no one waits for tells itself what it used.
int computes_and_tells(const Actor& child) {
  pause_ms(50);
  compute_ms(kComputeMs);
  child.expect("COUNTED", cpu_us(CLOCK_PROCESS_CPUTIME_ID), "-");
  return 0;
}

void ignored(const Actor& actor) {
  signal(SIGCHLD, SIG_IGN);
  for (int i = 0; i < 3; ++i) actor.forks("child", computes_and_tells);
  int status = 0;
  actor.result("wait4 of children that vanish", wait4(-1, &status, 0, nullptr));
}

void interrupted(const Actor& actor) {
  handles(SIGALRM, 0);
  const pid_t child = computes(actor, 2, 400);
  const itimerval soon = {{0, 0}, {0, 100000}};
  setitimer(ITIMER_REAL, &soon, nullptr);
  waits4(actor, "wait4 with a signal", child, child);
  handles(SIGALRM, SA_RESTART);
  setitimer(ITIMER_REAL, &soon, nullptr);
  waits4(actor, "wait4 with a signal and restart", child, child);
  actor.says("signals " + std::to_string(signals_seen));
}

void stopped_and_continued(const Actor& actor) {
  const pid_t child = actor.forks("child", [](const Actor&) {
    raise(SIGSTOP);
    pause_ms(50);
    compute_ms(kComputeMs);
    return 1;
  });
  int status = 0;
  actor.result("stopped", waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status));
  kill(child, SIGCONT);
  actor.result("continued", waitpid(child, &status, WCONTINUED) == child && WIFCONTINUED(status));
  waits4(actor, "wait4", child, child, WUNTRACED);
}

// To its tracer a child that has stopped returns from every wait.
void traced(const Actor& actor) {
  const pid_t child = actor.forks("child", [](const Actor&) {
    pause_ms(100);
    ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    raise(SIGSTOP);
    compute_ms(kComputeMs);
    return 1;
  });
  int status = 0;
  actor.result("stopped", waitpid(child, &status, 0) == child && WIFSTOPPED(status));
  ptrace(PTRACE_CONT, child, nullptr, nullptr);
  waits4(actor, "wait4", child, child);
}

void threads_of_their_own(const Actor& actor) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.push_back(actor.threads("thread " + std::to_string(i), [i](const Actor& thread) {
      const pid_t child = computes(thread, i, 30);
      waits4(thread, "wait4", child, child);
    }));
  }
  for (auto& thread : threads) thread.join();
}

void child_of_another_thread(const Actor& actor) {
  const pid_t child = computes(actor, 5, 50);
  actor.threads("thread", [child](const Actor& thread) { waits4(thread, "wait4", child, -1); }).join();
}

// The grandchild becomes ours when its parent is gone.
void adopted(const Actor& actor) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = actor.forks("child", [](const Actor& middle) {
    middle.forks("grandchild", [](const Actor&) {
      pause_ms(200);
      compute_ms(kComputeMs);
      return 6;
    });
    return 5;
  });
  waits4(actor, "wait4 of the child", child, -1);
  waits4(actor, "wait4 of the grandchild", 0, -1);
}

void orphaned(const Actor& actor) {
  const pid_t child = actor.forks("child", [](const Actor& middle) {
    middle.forks("grandchild", computes_and_tells);
    return 5;
  });
  waits4(actor, "wait4 of the child", child, child);
  pause_ms(300);
}

int exits_at_once(void*) {
  pause_ms(50);
  return 3;
}

// Children whose end sends no SIGCHLD are waited for by __WALL and __WCLONE only.
void silent_child(const Actor& actor) {
  static std::array<char, 1 << 16> stack;
  const pid_t child = must(clone(exits_at_once, stack.data() + stack.size(), 0, nullptr), "clone");
  int status = 0;
  actor.result("wait4 without __WALL", wait4(-1, &status, 0, nullptr));
  actor.result("wait4 with __WALL", wait4(child, &status, __WALL, nullptr) == child);
}

void many_threads_of_a_child(const Actor& actor) {
  const pid_t child = actor.forks("child", [](const Actor& its) {
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; ++i) threads.push_back(its.threads("thread", [](const Actor&) { compute_ms(kComputeMs); }));
    for (auto& thread : threads) thread.join();
    threads.clear();
    for (int i = 0; i < 3; ++i) {
      its.threads("thread",
                  [](const Actor&) {
                    for (;;) compute_ms(kComputeMs);
                  })
          .detach();
    }
    pause_ms(100);
    return 4;
  });
  waits4(actor, "wait4", child, child);
}

constexpr const char* kCounts = "i=0; while [ $i -lt 30000 ]; do i=$((i+1)); done; exit 5";

void other_program(const Actor& actor) {
  std::array<char*, 4> words = {const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>(kCounts), nullptr};
  pid_t child = 0;
  if (posix_spawn(&child, "/bin/sh", nullptr, nullptr, words.data(), environ) != 0) must(-1, "posix_spawn");
  actor.expect_of(child, "EXEC", 0, "-");
  waits4(actor, "wait4", child, child);
}

// Another thread than the first executes it: all others end, however much each has used, and whatever they are doing.
void other_program_by_a_thread(const Actor& actor) {
  for (const bool others_compute : {false, true}) {
    const pid_t child = actor.forks("child", [others_compute](const Actor& its) {
      compute_ms(kComputeMs);
      for (int i = 0; i < 2; ++i) {
        its.threads("thread",
                    [others_compute](const Actor&) {
                      do compute_ms(1);
                      while (others_compute);
                      for (;;) pause();
                    })
            .detach();
      }
      std::thread([] {
        compute_ms(2 * kComputeMs);
        execl("/bin/sh", "sh", "-c", kCounts, nullptr);
      }).join();
      return 1;
    });
    actor.expect_of(child, "EXEC", 0, "-");
    waits4(actor, "wait4", child, child);
  }
}

void killed(const Actor& actor) {
  const pid_t child = actor.forks("child", [](const Actor&) -> int {
    for (;;) compute_ms(kComputeMs);
  });
  pause_ms(100);
  kill(child, SIGKILL);
  waits4(actor, "wait4", child, child);
}

constexpr std::array kCases = {
    Case{"wait4_by_number", wait4_by_number},
    Case{"wait4_of_any", wait4_of_any},
    Case{"wait4_of_group", wait4_of_group},
    Case{"waitid_of_all_types", waitid_of_all_types},
    Case{"waitid_twice", waitid_twice},
    Case{"without_hanging", without_hanging},
    Case{"clones", clones},
    Case{"several", several},
    Case{"several_dead", several_dead},
    Case{"caught_without_restart", caught_without_restart},
    Case{"caught_with_restart", caught_with_restart},
    Case{"blocked_signal", blocked_signal},
    Case{"ignored", ignored},
    Case{"interrupted", interrupted},
    Case{"stopped_and_continued", stopped_and_continued},
    Case{"traced", traced},
    Case{"threads_of_their_own", threads_of_their_own},
    Case{"child_of_another_thread", child_of_another_thread},
    Case{"adopted", adopted},
    Case{"orphaned", orphaned},
    Case{"silent_child", silent_child},
    Case{"many_threads_of_a_child", many_threads_of_a_child},
    Case{"other_program", other_program},
    Case{"other_program_by_a_thread", other_program_by_a_thread},
    Case{"killed", killed},
};

}  // namespace
}  // namespace dpm

int main(int argc, char** argv) { return dpm::play_case(dpm::kCases, argc, argv); }

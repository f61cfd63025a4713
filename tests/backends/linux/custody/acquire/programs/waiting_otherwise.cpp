#include <fcntl.h>
#include <mqueue.h>
#include <pthread.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <ctime>
#include <new>

#include "tests/backends/linux/custody/acquire/programs/waiting.hpp"

namespace dpm {
namespace {

volatile sig_atomic_t handled = 0;
void count_signal(int) { handled = handled + 1; }

void handle(int signal, int flags) {
  struct sigaction action = {};
  action.sa_handler = count_signal;
  action.sa_flags = flags;
  need(::sigaction(signal, &action, nullptr), "sigaction");
}

sigset_t only(int signal) {
  sigset_t set;
  ::sigemptyset(&set);
  ::sigaddset(&set, signal);
  return set;
}

void block(int signal) {
  const sigset_t set = only(signal);
  ::sigprocmask(SIG_BLOCK, &set, nullptr);
}

std::function<void()> signal_to_self(int signal) {
  const pid_t self = ::getpid();
  return [=] { ::kill(self, signal); };
}

void add_times(std::vector<Wait>& waits) {
  waits.push_back({"nanosleep", [] {
                     return Wait::Scene{[] {
                                          const timespec time{0, 400'000'000};
                                          return or_errno(::nanosleep(&time, nullptr));
                                        },
                                        [] {}, 0.4};
                   }});
  waits.push_back({"clock_nanosleep_until", [] {
                     return Wait::Scene{
                         [] {
                           timespec time = {};
                           ::clock_gettime(CLOCK_MONOTONIC, &time);
                           time.tv_nsec += 400'000'000;
                           time.tv_sec += time.tv_nsec / 1'000'000'000;
                           time.tv_nsec %= 1'000'000'000;
                           return static_cast<long>(-::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr));
                         },
                         [] {}, 0.4};
                   }});
}

struct SharedCondition {
  pthread_mutex_t mutex;
  pthread_cond_t condition;
  bool happened = false;
};

SharedCondition* make_condition() {
  void* page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  auto* shared = new (page) SharedCondition;
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutex_init(&shared->mutex, &mutex);
  pthread_condattr_t condition;
  pthread_condattr_init(&condition);
  pthread_condattr_setpshared(&condition, PTHREAD_PROCESS_SHARED);
  pthread_cond_init(&shared->condition, &condition);
  return shared;
}

void add_conditions(std::vector<Wait>& waits) {
  const auto scene = [](bool with_timeout, bool happens) {
    auto* shared = make_condition();
    return Wait::Scene{[=] {
                         timespec until = {};
                         ::clock_gettime(CLOCK_REALTIME, &until);
                         until.tv_sec += happens ? 90 : 1;
                         pthread_mutex_lock(&shared->mutex);
                         int result = 0;
                         while (!shared->happened && result == 0) {
                           result = with_timeout ? pthread_cond_timedwait(&shared->condition, &shared->mutex, &until)
                                                 : pthread_cond_wait(&shared->condition, &shared->mutex);
                         }
                         pthread_mutex_unlock(&shared->mutex);
                         return static_cast<long>(-result);
                       },
                       [=] {
                         if (!happens) return;
                         pthread_mutex_lock(&shared->mutex);
                         shared->happened = true;
                         pthread_cond_signal(&shared->condition);
                         pthread_mutex_unlock(&shared->mutex);
                       },
                       happens ? 0.0 : 0.9};
  };
  waits.push_back({"condition", [=] { return scene(false, true); }});
  waits.push_back({"condition_with_timeout", [=] { return scene(true, true); }});
  waits.push_back({"condition_timing_out", [=] { return scene(true, false); }});
}

void add_signals(std::vector<Wait>& waits) {
  const auto timed = [](double seconds) {
    block(SIGUSR1);
    return Wait::Scene{[=] {
                         const sigset_t set = only(SIGUSR1);
                         const timespec timeout{static_cast<time_t>(seconds), 0};
                         return or_errno(::sigtimedwait(&set, nullptr, seconds > 0 ? &timeout : nullptr));
                       },
                       signal_to_self(SIGUSR1)};
  };
  waits.push_back({"sigwaitinfo", [=] { return timed(0); }});
  waits.push_back({"sigtimedwait", [=] { return timed(90); }});
  waits.push_back({"sigsuspend", [] {
                     handle(SIGUSR1, 0);
                     block(SIGUSR1);
                     return Wait::Scene{[] {
                                          const sigset_t set = only(SIGUSR2);
                                          return or_errno(::sigsuspend(&set));
                                        },
                                        signal_to_self(SIGUSR1), 0,
                                        [] {
                                          sigset_t blocked;
                                          ::sigprocmask(SIG_SETMASK, nullptr, &blocked);
                                          return handled * 10L + ::sigismember(&blocked, SIGUSR1) * 2L +
                                                 ::sigismember(&blocked, SIGUSR2);
                                        }};
                   }});
  waits.push_back({"pause", [] {
                     handle(SIGUSR1, SA_RESTART);
                     return Wait::Scene{[] { return or_errno(::pause()); }, signal_to_self(SIGUSR1), 0,
                                        [] { return static_cast<long>(handled); }};
                   }});
  // What a signal does to a read() that waits, with SA_RESTART and without, must stay as it is.
  waits.push_back({"interrupted_read", [] {
                     handle(SIGUSR1, 0);
                     int ends[2];
                     need(::pipe(ends), "pipe");
                     return Wait::Scene{[=] {
                                          char data = 0;
                                          return or_errno(::read(ends[0], &data, 1));
                                        },
                                        signal_to_self(SIGUSR1), 0, [] { return static_cast<long>(handled); }};
                   }});
  waits.push_back({"restarted_read", [] {
                     handle(SIGUSR1, SA_RESTART);
                     int ends[2];
                     need(::pipe(ends), "pipe");
                     const pid_t self = ::getpid();
                     return Wait::Scene{[=] {
                                          char data = 0;
                                          return or_errno(::read(ends[0], &data, 1));
                                        },
                                        [=] {
                                          ::kill(self, SIGUSR1);
                                          ::usleep(50'000);
                                          need(static_cast<int>(::write(ends[1], "x", 1)), "write");
                                        },
                                        0, [] { return static_cast<long>(handled); }};
                   }});
}

void add_locks(std::vector<Wait>& waits) {
  waits.push_back(
      {"flock", [] {
         char name[] = "/tmp/dpm-acquire-XXXXXX";
         const int mine = need(::mkstemp(name), "mkstemp");
         const int theirs = need(::open(name, O_RDWR), "open");
         ::unlink(name);
         need(::flock(theirs, LOCK_EX), "flock");
         // The lock is the open file's, which both processes have.
         return Wait::Scene{[=] { return or_errno(::flock(mine, LOCK_EX)); }, [=] { ::flock(theirs, LOCK_UN); }};
       }});
  const auto semaphore = [](bool with_timeout) {
    const int set = need(::semget(IPC_PRIVATE, 1, 0600), "semget");
    return Wait::Scene{[=] {
                         sembuf down{0, -1, 0};
                         const timespec timeout{20, 0};
                         const long result =
                             or_errno(with_timeout ? ::semtimedop(set, &down, 1, &timeout) : ::semop(set, &down, 1));
                         ::semctl(set, 0, IPC_RMID);
                         return result;
                       },
                       [=] {
                         sembuf up{0, 1, 0};
                         ::semop(set, &up, 1);
                       }};
  };
  waits.push_back({"semop", [=] { return semaphore(false); }});
  waits.push_back({"semtimedop", [=] { return semaphore(true); }});
}

void add_queues(std::vector<Wait>& waits) {
  struct Text {
    long type = 1;
    char data[8] = "hello";
  };
  waits.push_back({"msgrcv", [] {
                     const int queue = need(::msgget(IPC_PRIVATE, 0600), "msgget");
                     return Wait::Scene{[=] {
                                          Text text;
                                          const long result = or_errno(::msgrcv(queue, &text, sizeof text.data, 0, 0));
                                          ::msgctl(queue, IPC_RMID, nullptr);
                                          return result;
                                        },
                                        [=] {
                                          const Text text;
                                          ::msgsnd(queue, &text, 5, 0);
                                        }};
                   }});
  waits.push_back({"mq_timedreceive", [] {
                     const std::string name = "/dpm-acquire-" + std::to_string(::getpid());
                     mq_attr attributes = {};
                     attributes.mq_maxmsg = 2;
                     attributes.mq_msgsize = 16;
                     const mqd_t queue =
                         need(::mq_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, 0600, &attributes), "mq_open");
                     ::mq_unlink(name.c_str());
                     return Wait::Scene{[=] {
                                          char data[16];
                                          timespec until = {};
                                          ::clock_gettime(CLOCK_REALTIME, &until);
                                          until.tv_sec += 20;
                                          return or_errno(::mq_timedreceive(queue, data, sizeof data, nullptr, &until));
                                        },
                                        [=] { ::mq_send(queue, "hello", 5, 0); }};
                   }});
}

void add_children(std::vector<Wait>& waits) {
  const auto sleep_child = [](bool by_vfork) {
    const pid_t child = by_vfork ? ::vfork() : ::fork();
    if (child == 0) {
      const timespec time{0, 400'000'000};
      ::nanosleep(&time, nullptr);
      ::_exit(7);
    }
    return child;
  };
  const auto exit_status = [](pid_t child) {
    int status = 0;
    const long result = or_errno(::waitpid(child, &status, 0));
    return result < 0 ? result : static_cast<long>(WEXITSTATUS(status));
  };
  waits.push_back({"waitpid", [=] {
                     return Wait::Scene{[=] { return exit_status(sleep_child(false)); }, [] {}, 0.3};
                   }});
  // The parent of a vfork() cannot be interrupted at all until its child is on its own.
  waits.push_back({"vfork", [=] { return Wait::Scene{[=] { return exit_status(sleep_child(true)); }, [] {}, 0.3}; }});
}

}  // namespace

void add_other_waits(std::vector<Wait>& waits) {
  add_times(waits);
  add_conditions(waits);
  add_signals(waits);
  add_locks(waits);
  add_queues(waits);
  add_children(waits);
}

}  // namespace dpm

// lock_in HOW WHERE WHAT: locks a thread in with seccomp in one of several ways, does something then, and says what came
// of it. Without arguments: all combinations, one after the other.
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace {

int in_pipe[2], out_pipe[2];  // of the thread that is locked in

void write_line(const char* line) {
  if (::write(out_pipe[1], line, std::strlen(line)) < 0) return;
}

// ---- how

sock_filter allow_all[] = {{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
sock_fprog own_filter = {1, allow_all};

long set_filter(unsigned flags) {
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &own_filter);
}
long by_prctl() { return ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT); }
long by_seccomp() { return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 0, nullptr); }
long with_wrong_arguments() { return ::syscall(SYS_seccomp, SECCOMP_SET_MODE_STRICT, 1, nullptr); }
long with_own_filter_first() { return set_filter(0) != 0 ? -1 : by_prctl(); }
long with_filter_of_all_first() { return set_filter(SECCOMP_FILTER_FLAG_TSYNC) != 0 ? -1 : by_seccomp(); }

void on_signal(int) { write_line("a signal was handled\n"); }
long with_a_signal() {
  struct sigaction action = {};
  action.sa_handler = on_signal;
  action.sa_flags = SA_RESTART;
  ::sigaction(SIGUSR1, &action, nullptr);
  return by_prctl();
}
long with_all_signals_blocked() {
  sigset_t all;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, nullptr);
  return by_prctl();
}

constexpr struct {
  const char* name;
  long (*lock_in)();
} kHow[] = {{"prctl", by_prctl},
            {"seccomp", by_seccomp},
            {"wrong-arguments", with_wrong_arguments},
            {"own-filter-first", with_own_filter_first},
            {"tsync-first", with_filter_of_all_first},
            {"signal", with_a_signal},
            {"signals-blocked", with_all_signals_blocked}};

// ---- what it does then

void end() { ::syscall(SYS_exit, 7); }
void answer() {
  char text[16];
  const ssize_t got = ::read(in_pipe[0], text, sizeof text);
  write_line(got == 5 ? "read 5 bytes\n" : "read something else\n");
  write_line("wrote\n");
  end();
}
void send_data() {
  ::send(out_pipe[1], "x", 1, 0);  // fails on a pipe, but no call is made
  write_line("sent\n");
  end();
}
void open_file() {
  ::open("/dev/null", O_RDONLY);
  write_line("opened\n");
  end();
}
void end_as_the_library_does() { ::_exit(0); }
void read_clock_register() {
  asm volatile("rdtsc" : : : "rax", "rdx");
  write_line("read the clock register\n");
  end();
}
void call_of_32_bits() {
  long result = 20;  // getpid
  asm volatile("int $0x80" : "+a"(result) : : "memory");
  write_line("made a call of 32 bits\n");
  end();
}
void lock_in_again() {
  by_prctl();
  write_line("locked in again\n");
  end();
}

constexpr struct {
  const char* name;
  void (*act)();
} kWhat[] = {{"answer", answer},
             {"end", end},
             {"send", send_data},
             {"open", open_file},
             {"library-end", end_as_the_library_does},
             {"clock-register", read_clock_register},
             {"32-bit", call_of_32_bits},
             {"again", lock_in_again}};

long (*chosen_how)();
void (*chosen_what)();

void lock_in_and_act() {
  if (chosen_how() != 0) {
    char line[64];
    std::snprintf(line, sizeof line, "not locked in: errno %d\n", errno);
    write_line(line);
    end();
  }
  write_line("locked in\n");
  chosen_what();
}

// ---- where

void report(int status) {
  ::close(out_pipe[1]);
  char text[4096];
  ssize_t got = 0;
  std::size_t have = 0;
  while ((got = ::read(out_pipe[0], text + have, sizeof text - 1 - have)) > 0) have += static_cast<std::size_t>(got);
  text[have] = 0;
  const bool is_killed = WIFSIGNALED(status);
  std::printf("%s%s %d\n", text, is_killed ? "killed by" : "ended with",
              is_killed ? WTERMSIG(status) : WEXITSTATUS(status));
  std::fflush(stdout);
}

// The handler writes a line, perhaps on another thread than the one that is locked in: that comes first.
void signal_and_wait(pid_t child) {
  constexpr int kWaits = 5000;
  pollfd locked_in{out_pipe[0], POLLIN, 0};
  ::poll(&locked_in, 1, -1);
  int before = 0, now = 0;
  ::ioctl(out_pipe[0], FIONREAD, &before);
  ::kill(child, SIGUSR1);
  for (int i = 0; i < kWaits && now <= before; ++i) {
    ::usleep(1000);
    ::ioctl(out_pipe[0], FIONREAD, &now);
  }
}

void give_input(pid_t child) {
  if (chosen_how == with_a_signal && chosen_what == answer) signal_and_wait(child);
  if (::write(in_pipe[1], "input", 5) != 5) std::abort();
}

template <typename Act>
void in_child(Act act) {
  const pid_t child = ::fork();
  if (child == 0) {
    act();
    ::_exit(3);
  }
  give_input(child);
  int status = 0;
  ::waitpid(child, &status, 0);
  report(status);
}

void in_a_child() { in_child(lock_in_and_act); }

// A thread of a child: the other threads go on.
void in_a_thread_of_it() {
  pthread_t thread;
  const auto begin = [](void*) -> void* {
    lock_in_and_act();
    return nullptr;
  };
  if (::pthread_create(&thread, nullptr, begin, nullptr) != 0) std::abort();
  ::pthread_join(thread, nullptr);
  write_line("another thread goes on\n");
  ::_exit(5);
}
void in_a_thread() { in_child(in_a_thread_of_it); }

const char* path_of_this;
char input_end[16], output_end[16];
const char *how_name, *what_name;

void in_an_executed_program() {
  in_child([] {
    std::snprintf(input_end, sizeof input_end, "%d", in_pipe[0]);
    std::snprintf(output_end, sizeof output_end, "%d", out_pipe[1]);
    ::execl(path_of_this, path_of_this, how_name, "executed", what_name, input_end, output_end, nullptr);
  });
}

constexpr struct {
  const char* name;
  void (*begin)();
} kWhere[] = {{"child", in_a_child}, {"thread", in_a_thread}, {"executed-program", in_an_executed_program}};

template <typename Table>
auto& find(const Table& table, const char* name) {
  for (const auto& entry : table)
    if (std::strcmp(entry.name, name) == 0) return entry;
  std::exit(2);
}

}  // namespace

int main(int count, char** arguments) {
  path_of_this = arguments[0];
  const auto play = [](const auto& how, const auto& where, const auto& what) {
    how_name = how.name;
    what_name = what.name;
    chosen_how = how.lock_in;
    chosen_what = what.act;
    if (::pipe(in_pipe) != 0 || ::pipe(out_pipe) != 0) std::abort();
    std::printf("%s %s %s:\n", how.name, where.name, what.name);
    std::fflush(stdout);
    where.begin();
    for (const int fd : {in_pipe[0], in_pipe[1], out_pipe[0]}) ::close(fd);
  };
  if (count == 6) {  // executed
    in_pipe[0] = std::atoi(arguments[4]);
    out_pipe[1] = std::atoi(arguments[5]);
    chosen_how = find(kHow, arguments[1]).lock_in;
    chosen_what = find(kWhat, arguments[3]).act;
    lock_in_and_act();
  }
  if (count == 4) {
    play(find(kHow, arguments[1]), find(kWhere, arguments[2]), find(kWhat, arguments[3]));
    return 0;
  }
  for (const auto& how : kHow)
    for (const auto& where : kWhere)
      for (const auto& what : kWhat) play(how, where, what);
}

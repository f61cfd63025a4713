// A program that is hard to acquire, in one of several ways. Prints "waiting", waits for a byte on its standard input,
// prints "went on", and ends.
#include <elf.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

namespace {

void need(long result, const char* doing) {
  if (result >= 0) return;
  std::fprintf(stderr, "guarded_target: %s: %s\n", doing, std::strerror(errno));
  std::_Exit(1);
}

void say(const char* text) { need(::write(STDOUT_FILENO, text, std::strlen(text)), "write"); }

void wait_and_go_on() {
  say("waiting\n");
  char byte = 0;
  need(::read(STDIN_FILENO, &byte, 1), "read");
  say("went on\n");
}

// A filter that does `action` for the calls named, and `otherwise` for all others.
int install(const std::vector<int>& calls, std::uint32_t action, std::uint32_t otherwise, unsigned flags = 0) {
  std::vector<sock_filter> program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const int call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, action));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, otherwise));
  sock_fprog described{static_cast<unsigned short>(program.size()), program.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const long result = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &described);
  need(result, "seccomp");
  return static_cast<int>(result);
}

// What it was made for, and not one call more: installing a filter kills it, and so does fcntl().
void sandbox() {
  install({SYS_read, SYS_write, SYS_exit_group, SYS_restart_syscall}, SECCOMP_RET_ALLOW, SECCOMP_RET_KILL_PROCESS);
}

void add_harmless_filter() { install({SYS_getpgid}, SECCOMP_RET_ERRNO | EPERM, SECCOMP_RET_ALLOW); }

void wait_for_ever() {
  while (true) ::pause();
}

// `filtered` threads with a filter that the other threads do not have.
void with_filtered_threads(int filtered) {
  std::atomic<int> ready{0};
  for (int i = 0; i < filtered; ++i) {
    std::thread([&] {
      add_harmless_filter();
      ++ready;
      wait_for_ever();
    }).detach();
  }
  while (ready < filtered) ::usleep(1000);
  if (filtered > 1) add_harmless_filter();  // as many as the others, but another one
}

void use_all_descriptors() {
  const rlimit few = {20, 20};
  need(::setrlimit(RLIMIT_NOFILE, &few), "setrlimit");
  while (::dup(STDIN_FILENO) >= 0) {
  }
}

void dispatch_own_calls() {
#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
  // Everything is allowed, from everywhere, as long as the selector says so.
  static char selector = 0;
  if (::prctl(PR_SET_SYSCALL_USER_DISPATCH, 1, 0, 0, &selector) != 0) say("not here: ");
}

// The vdso has no unused end any more, so that injected code must find room elsewhere.
void fill_vdso() {
  auto* base = reinterpret_cast<char*>(::getauxval(AT_SYSINFO_EHDR));
  const auto& header = *reinterpret_cast<const Elf64_Ehdr*>(base);
  constexpr std::size_t kPage = 4096;
  const std::size_t used = header.e_shoff + std::size_t{header.e_shnum} * header.e_shentsize;
  const std::size_t end = (used + kPage - 1) / kPage * kPage;
  if (::mprotect(base, end, PROT_READ | PROT_WRITE | PROT_EXEC) != 0) return say("not here: ");
  std::memset(base + used, 0xcc, end - used);
  need(::mprotect(base, end, PROT_READ | PROT_EXEC), "mprotect");
}

// The process named has a tracer: a child of ours.
void be_traced() {
  int ready[2];
  need(::pipe(ready), "pipe");
  const pid_t self = ::getpid();
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  if (::fork() == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::prctl(PR_SET_NAME, "some-tracer");
    need(::ptrace(PTRACE_SEIZE, self, nullptr, nullptr), "ptrace");
    need(::write(ready[1], "r", 1), "write");
    wait_for_ever();
  }
  char byte = 0;
  need(::read(ready[0], &byte, 1), "read");
}

// Another process is notified of its calls: an older child, which takes the listener.
void be_supervised() {
  int to_child[2], from_child[2];
  need(::pipe(to_child), "pipe");
  need(::pipe(from_child), "pipe");
  ::prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  int listener = -1;
  if (::fork() == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    need(::read(to_child[0], &listener, sizeof listener), "read");
    const long parent = ::syscall(SYS_pidfd_open, ::getppid(), 0);
    need(::syscall(SYS_pidfd_getfd, parent, listener, 0), "pidfd_getfd");
    need(::write(from_child[1], "t", 1), "write");
    wait_for_ever();
  }
  listener = install({SYS_getpgid}, SECCOMP_RET_USER_NOTIF, SECCOMP_RET_ALLOW, SECCOMP_FILTER_FLAG_NEW_LISTENER);
  need(::write(to_child[1], &listener, sizeof listener), "write");
  char byte = 0;
  need(::read(from_child[0], &byte, 1), "read");
  ::close(listener);
}

int run(const std::string& way) {
  if (way == "sandboxed") {
    sandbox();
  } else if (way == "one_filtered_thread") {
    with_filtered_threads(1);
  } else if (way == "differently_filtered_threads") {
    with_filtered_threads(2);
  } else if (way == "strict") {
    say("waiting\n");
    need(::prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), "prctl");
    char byte = 0;
    ::read(STDIN_FILENO, &byte, 1);
    say("went on\n");
    ::syscall(SYS_exit, 0);
  } else if (way == "without_descriptors") {
    use_all_descriptors();
  } else if (way == "dispatching") {
    dispatch_own_calls();
  } else if (way == "full_vdso") {
    fill_vdso();
  } else if (way == "supervised") {
    be_supervised();
  } else if (way == "traced") {
    be_traced();
  } else if (way == "undumpable") {
    ::prctl(PR_SET_DUMPABLE, 0);
  } else if (way == "threaded") {
    std::thread(wait_for_ever).detach();
  } else if (way != "plain") {
    return 2;
  }
  wait_and_go_on();
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const int status = argc == 2 ? run(argv[1]) : 2;
  std::_Exit(status);
}

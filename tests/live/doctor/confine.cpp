// confine MODE COMMAND...: runs COMMAND as a container or another supervisor would let it run.
//
//   forbid       seccomp(2) is forbidden (EPERM), as some containers have it
//   old          the kernel knows no user notification (EINVAL)
//   nothing      the kernel has no seccomp filters at all (ENOSYS)
//   blind        no process may look into another (pidfd_getfd fails with EPERM)
//   unannounced  the process events connector cannot be opened
//   unloadable   the kernel refuses every eBPF program (EINVAL), and makes maps
//   supervised   another process is notified of a call that COMMAND never makes
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using Program = std::vector<sock_filter>;

constexpr unsigned kCallAt = offsetof(seccomp_data, nr);
constexpr unsigned kFirstArgumentAt = offsetof(seccomp_data, args);

// `call` (with this first argument, if any is given) ends with `action`; everything else is allowed.
Program only(int call, unsigned action, int first_argument = -1) {
  Program program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kCallAt)};
  if (first_argument < 0) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
  } else {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 3));
    program.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, kFirstArgumentAt));
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(first_argument), 0, 1));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, action));
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  return program;
}

unsigned fails_with(int error_number) { return SECCOMP_RET_ERRNO | static_cast<unsigned>(error_number); }

bool install(Program program, unsigned flags) {
  sock_fprog described{static_cast<unsigned short>(program.size()), program.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  const long listener = ::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &described);
  // The listener must outlive the exec: calls of a filter whose listener is closed fail.
  return listener == 0 || (listener > 0 && ::fcntl(static_cast<int>(listener), F_DUPFD, 700) >= 0);
}

bool enter(const std::string& mode) {
  if (mode == "forbid") return install(only(SYS_seccomp, fails_with(EPERM)), 0);
  if (mode == "old") return install(only(SYS_seccomp, fails_with(EINVAL)), 0);
  if (mode == "nothing") return install(only(SYS_seccomp, fails_with(ENOSYS)), 0);
  if (mode == "blind") return install(only(SYS_pidfd_getfd, fails_with(EPERM)), 0);
  if (mode == "unannounced") return install(only(SYS_socket, fails_with(EPROTONOSUPPORT), AF_NETLINK), 0);
  if (mode == "unloadable") return install(only(SYS_bpf, fails_with(EINVAL), BPF_PROG_LOAD), 0);
  if (mode == "supervised") return install(only(SYS_mount, SECCOMP_RET_USER_NOTIF), SECCOMP_FILTER_FLAG_NEW_LISTENER);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3 || !enter(argv[1])) {
    std::fprintf(stderr, "confine: no such confinement, or it cannot be had here\n");
    return 77;
  }
  ::execvp(argv[2], argv + 2);
  std::perror(argv[2]);
  return 127;
}

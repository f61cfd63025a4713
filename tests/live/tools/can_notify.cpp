// Tells whether this machine lets this account supervise system calls (seccomp user notification), independently of the
// meter: exit status 0, or 1 and the reason. A test that asked the meter itself would be skipped when the meter is
// broken.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

int main() {
  if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) {
    std::perror("prctl(PR_SET_NO_NEW_PRIVS)");
    return 1;
  }
  sock_filter allow_all{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW};
  const sock_fprog program{1, &allow_all};
  if (syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program) >= 0) return 0;
  std::printf("seccomp with a listener: %s\n", std::strerror(errno));
  return 1;
}

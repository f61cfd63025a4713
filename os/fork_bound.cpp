#include "os/fork_bound.hpp"

#include <sys/prctl.h>
#include <unistd.h>

namespace dpm {

pid_t fork_bound(int signal) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child != 0) return child;
  ::prctl(PR_SET_PDEATHSIG, signal);
  if (::getppid() != parent) ::_exit(1);
  return 0;
}

}  // namespace dpm

#include "os/kernel/filter_carriers.hpp"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "os/kernel/process_files.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// Says so, waits for the end of `until`, and ends.
[[noreturn]] void carry_a_filter(int said, int until) {
  sock_filter allow[] = {BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)};
  const sock_fprog program = {1, allow};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  char byte = ::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0 ? 'y' : 'n';
  if (::write(said, &byte, 1) == 1) [[maybe_unused]]
    const ssize_t ended = ::read(until, &byte, 1);
  ::_exit(0);
}

}  // namespace

TEST_CASE(
    "filter carriers: a process that lives and has a filter is one, a dead one whose parent has not waited for it is "
    "not") {
  int said[2], until[2];
  REQUIRE(::pipe(said) == 0);
  REQUIRE(::pipe(until) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(until[1]);
    carry_a_filter(said[1], until[0]);
  }
  char byte = 0;
  REQUIRE(::read(said[0], &byte, 1) == 1);
  REQUIRE(byte == 'y');
  const auto pid = static_cast<std::uint32_t>(child);
  const std::uint64_t began_ns = read_beginning_ns(pid, pid);
  CHECK(may_have_filter_carriers(began_ns));
  ::close(until[1]);
  siginfo_t information = {};
  REQUIRE(::waitid(P_PID, pid, &information, WEXITED | WNOWAIT) == 0);
  // Others on this machine may have filters, and are not ours to judge; ours is dead.
  const auto status = read_status(pid);
  REQUIRE(status);
  CHECK(status->state == 'Z');
  CHECK_FALSE(may_have_filter_carriers(began_ns + 3'600'000'000'000u));
  REQUIRE(::waitpid(child, nullptr, 0) == child);
  for (const int fd : {said[0], said[1], until[0]}) ::close(fd);
}

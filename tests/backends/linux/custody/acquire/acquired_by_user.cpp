#include "tests/backends/linux/custody/acquire/acquired_by_user.hpp"

#include <fcntl.h>
#include <grp.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdlib>
#include <vector>

#include "tests/backends/linux/custody/acquire/test_supervisor.hpp"

namespace dpm {
namespace {

// Or a target's input would stay open because we have it, too.
void close_all_but(int kept) {
  ::syscall(SYS_close_range, STDERR_FILENO + 1, kept - 1, 0);
  ::syscall(SYS_close_range, kept + 1, ~0u, 0);
}

void become(uid_t user) {
  if (user == 0) return;
  if (::setgroups(0, nullptr) != 0 || ::setgid(user) != 0 || ::setuid(user) != 0) std::abort();
  ::prctl(PR_SET_DUMPABLE, 1);  // as if it had been started by that user
}

[[noreturn]] void acquire_and_supervise(std::uint32_t pid, const AcquireOptions& options, int output) {
  auto program = acquire(pid, options);
  std::string outcome = program ? "acquired" : program.error().what;
  if (program && program->privileges_given_up) outcome += ", privileges given up";
  if (::write(output, outcome.data(), outcome.size()) < 0) std::abort();
  ::close(output);
  if (!program) ::_exit(0);
  const TestSupervisor supervisor(std::move(program->listener), std::move(program->slots));
  while (true) ::pause();
}

}  // namespace

AcquiredByUser::AcquiredByUser(uid_t user, std::uint32_t pid, const AcquireOptions& options,
                               const std::function<void()>& restrict) {
  int out[2];
  if (::pipe2(out, O_CLOEXEC) != 0) std::abort();
  child_ = ::fork();
  if (child_ == 0) {
    close_all_but(out[1]);
    restrict();
    become(user);
    acquire_and_supervise(pid, options, out[1]);
  }
  ::close(out[1]);
  char text[2048];
  ssize_t length = 0;
  while ((length = ::read(out[0], text, sizeof text)) > 0 || (length < 0 && errno == EINTR)) {
    if (length > 0) outcome_.append(text, static_cast<std::size_t>(length));
  }
  ::close(out[0]);
}

AcquiredByUser::~AcquiredByUser() {
  ::kill(child_, SIGKILL);
  ::waitpid(child_, nullptr, 0);
}

void forbid_calls(const std::vector<int>& calls) {
  std::vector<sock_filter> program = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const int call : calls) {
    program.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<std::uint32_t>(call), 0, 1));
    program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM));
  }
  program.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  sock_fprog described{static_cast<unsigned short>(program.size()), program.data()};
  ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (::prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &described) != 0) std::abort();
}

}  // namespace dpm

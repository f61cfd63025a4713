#include "os/startable_tasks.hpp"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/catch.hpp"

namespace dpm {
namespace {

// In a process of an account that has no other, and may have `most`.
int in_limited_process(rlim_t most, int (*work)()) {
  constexpr uid_t kAccount = 54'322;
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{most, most};
    if (::setrlimit(RLIMIT_NPROC, &limit) != 0 || ::setuid(kAccount) != 0) ::_exit(77);
    ::_exit(work());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WEXITSTATUS(status);
}

}  // namespace

TEST_CASE("startable tasks: as many as the limit leaves", "[os]") {
  CHECK(startable_tasks(5) == 5);
  CHECK(need_tasks("the meter", 5));
  if (::geteuid() != 0) return;  // only root can become an account without other processes
  CHECK(in_limited_process(4, [] { return static_cast<int>(startable_tasks(5)); }) == 3);
  CHECK(in_limited_process(1, [] { return start_thread([] {}) ? 0 : 1; }) == 1);
  CHECK(in_limited_process(4, [] {
          const auto needed = need_tasks("the meter", 5);
          return !needed && needed.error().what.find("can start 3") != std::string::npos ? 1 : 0;
        }) == 1);
}

}  // namespace dpm

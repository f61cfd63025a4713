// In which call a thread is, also beside a tracer.
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <thread>

#include "os/kernel/process_files.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;

namespace {

// A child that a tracer has stopped before its first call. It writes a byte into a pipe and then waits for one from another.
struct TracedChild {
  std::array<int, 2> out = {-1, -1}, in = {-1, -1};
  pid_t pid = -1;

  TracedChild() {
    REQUIRE(::pipe(out.data()) == 0);
    REQUIRE(::pipe(in.data()) == 0);
    pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
      ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
      ::raise(SIGSTOP);
      char byte = 'x';
      ::_exit(::write(out[1], &byte, 1) == 1 && ::read(in[0], &byte, 1) == 1 ? 0 : 1);
    }
    await_stop();
  }
  ~TracedChild() {
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    for (const int fd : {out[0], out[1], in[0], in[1]}) ::close(fd);
  }
  TracedChild(const TracedChild&) = delete;
  TracedChild& operator=(const TracedChild&) = delete;

  void await_stop() const {
    int status = 0;
    REQUIRE(::waitpid(pid, &status, 0) == pid);
    REQUIRE(WIFSTOPPED(status));
  }
  // To its next entry into a call, or way out of one.
  void step() const {
    REQUIRE(::ptrace(PTRACE_SYSCALL, pid, nullptr, nullptr) == 0);
    await_stop();
  }
  CallState state(int descriptor) const {
    return call_state(static_cast<std::uint32_t>(pid), static_cast<std::uint32_t>(pid), descriptor);
  }
};

}  // namespace

TEST_CASE("call state: a thread that a tracer has stopped is not in the call that the kernel shows", "[linux]") {
  TracedChild child;
  for (int stop = 0; stop < 2; ++stop) {  // on its way into write(), and out of it
    child.step();
    CHECK(child.state(child.out[1]) == CallState::elsewhere);
  }
  REQUIRE(::ptrace(PTRACE_DETACH, child.pid, nullptr, nullptr) == 0);
  for (int look = 0; look < 1000 && child.state(child.in[0]) != CallState::in_call; ++look)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  CHECK(child.state(child.in[0]) == CallState::in_call);
  CHECK(child.state(child.out[1]) == CallState::elsewhere);
}

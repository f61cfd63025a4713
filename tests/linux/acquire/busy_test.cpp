// Processes are acquired while they are busy: computing, talking, making threads.
#include <csignal>
#include <string>
#include <thread>

#include "backends/linux/acquire/acquire.hpp"
#include "backends/linux/keeper/keeper.hpp"
#include "backends/linux/kernel/process_files.hpp"
#include "tests/linux/acquire/target_process.hpp"
#include "tests/linux/acquire/test_supervisor.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

void sleep_ms(int milliseconds) { std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds)); }

}  // namespace

TEST_CASE("acquire: every thread of a busy program is metered, those being born too, and none is disturbed",
          "[linux]") {
  for (int round = 0; round < 10; ++round) {
    TargetProcess target({"threads_target"});
    REQUIRE(target.read_line() == "running");
    sleep_ms(20 + 7 * round);
    auto program = acquire(target.pid(), {});
    if (!program) FAIL(program.error().what);
    TestSupervisor supervisor(duplicate(program->listener));
    sleep_ms(100);
    for (const std::uint32_t tid : read_thread_ids(target.pid())) {
      const auto status = read_status(tid);
      if (status) CHECK(status->seccomp_filters == 1);
    }
    CHECK(supervisor.calls_by_thread().size() >= 3);
    supervisor.stop();
    REQUIRE(leave_to_keeper(*program));
    sleep_ms(50);
    target.close_input();
    CHECK(target.read_rest() ==
          "talk: done, 0 wrong\n"
          "talk slowly: done, 0 wrong\n"
          "compute: done, 0 wrong\n"
          "threads: done, 0 wrong\n"
          "epoll: done, 0 wrong\n"
          "condition: done, 0 wrong\n"
          "main: 0\n");
    CHECK(target.wait_for_end() == 0);
  }
}

TEST_CASE("acquire: a thread that computes finds all its registers as they were", "[linux]") {
  for (int round = 0; round < 3; ++round) {
    TargetProcess target({"computing_target"});
    REQUIRE(target.read_line() == "computing");
    sleep_ms(100 + round);
    auto program = acquire(target.pid(), {});
    if (!program) FAIL(program.error().what);
    TestSupervisor supervisor(std::move(program->listener));
    CHECK(target.read_line() == "done, 0 wrong");
    CHECK(target.wait_for_end() == 0);
    CHECK(supervisor.calls() >= 1);
  }
}

TEST_CASE("acquire: a restartable sequence that is disturbed is restarted", "[linux]") {
  for (int round = 0; round < 3; ++round) {
    TargetProcess target({"computing_target", "rseq"});
    REQUIRE(target.read_line() == "computing");
    sleep_ms(100 + round);
    auto program = acquire(target.pid(), {});
    if (!program) FAIL(program.error().what);
    TestSupervisor supervisor(std::move(program->listener));
    CHECK(target.read_line() == "done, 0 wrong");
    CHECK(target.wait_for_end() == 0);
  }
}

TEST_CASE("acquire: a process that is stopped stays stopped, and goes on when it is continued", "[linux]") {
  TargetProcess target({"waiting_target", "epoll_wait"});
  REQUIRE(target.read_line() == "waiting");
  REQUIRE(await_sleep(target.pid()));
  REQUIRE(::kill(static_cast<pid_t>(target.pid()), SIGSTOP) == 0);
  sleep_ms(20);
  auto program = acquire(target.pid(), {});
  if (!program) FAIL(program.error().what);
  TestSupervisor supervisor(std::move(program->listener));
  sleep_ms(50);
  CHECK(read_status(target.pid())->state == 'T');
  REQUIRE(::kill(static_cast<pid_t>(target.pid()), SIGCONT) == 0);
  target.write("!");
  CHECK(target.read_rest() == "result 1, afterwards 0\ntalked 100\ntalked 100\n");
  CHECK(target.wait_for_end() == 0);
}

}  // namespace dpm

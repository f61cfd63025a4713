// Processes are acquired while they are busy: computing, talking, making threads.
#include <csignal>
#include <string>
#include <thread>
#include <vector>

#include "backends/linux/custody/acquire/acquire.hpp"
#include "backends/linux/custody/acquire/code_room.hpp"
#include "backends/linux/custody/keeper/keeper.hpp"
#include "os/kernel/process_files.hpp"
#include "os/kernel/tracee.hpp"
#include "tests/backends/linux/custody/acquire/target_process.hpp"
#include "tests/backends/linux/custody/acquire/test_supervisor.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

std::vector<std::byte> read_room(std::uint32_t pid, std::uint64_t address) {
  std::vector<std::byte> bytes(512);
  REQUIRE(read_memory(pid, address, bytes) == bytes.size());
  return bytes;
}

}  // namespace

TEST_CASE("acquire: every thread of a busy program is metered, new ones too, and none is disturbed", "[linux]") {
  for (int round = 0; round < 10; ++round) {
    TargetProcess target({"threads_target"});
    REQUIRE(target.read_line() == "running");
    REQUIRE(await_writing(target.pid(), 1000u * static_cast<unsigned>(round)));
    auto program = acquire(target.pid(), {});
    if (!program) FAIL(program.error().what);
    TestSupervisor supervisor(duplicate(program->listener));
    CHECK(becomes_true([&] { return supervisor.calls_by_thread().size() >= 3; }));
    for (const std::uint32_t tid : read_thread_ids(target.pid())) {
      const auto status = read_status(tid);
      if (status) CHECK(status->seccomp_filters == 1);
    }
    supervisor.stop();
    REQUIRE(leave_to_keeper(*program));
    CHECK(await_writing(target.pid(), 1000));
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
    REQUIRE(await_computing(target.pid()));
    auto program = acquire(target.pid(), {});
    if (!program) FAIL(program.error().what);
    TestSupervisor supervisor(std::move(program->listener));
    target.tell_to_end();
    CHECK(target.read_line() == "done, 0 wrong");
    CHECK(target.wait_for_end() == 0);
    CHECK(supervisor.calls() >= 1);
  }
}

TEST_CASE("acquire: a restartable sequence that is disturbed is restarted", "[linux]") {
  for (int round = 0; round < 3; ++round) {
    TargetProcess target({"computing_target", "rseq"});
    REQUIRE(target.read_line() == "computing");
    REQUIRE(await_computing(target.pid()));
    auto program = acquire(target.pid(), {});
    if (!program) FAIL(program.error().what);
    TestSupervisor supervisor(std::move(program->listener));
    target.tell_to_end();
    CHECK(target.read_line() == "done, 0 wrong");
    CHECK(target.wait_for_end() == 0);
  }
}

TEST_CASE("acquire: the code of the process is as it was, wherever the injected code stood", "[linux]") {
  for (const std::string way : {"plain", "full_vdso"}) {
    INFO(way);
    TargetProcess target({"guarded_target", way});
    if (target.read_line() != "waiting") {
      WARN("SKIPPED: the vdso cannot be written to here");
      continue;
    }
    const auto room = find_code_room(target.pid(), 512);
    REQUIRE(room);
    CHECK(room_in_vdso(target.pid(), 512).has_value() == (way == "plain"));
    const auto before = read_room(target.pid(), *room);
    auto program = acquire(target.pid(), {});
    if (!program) FAIL(program.error().what);
    CHECK(read_room(target.pid(), *room) == before);
    const TestSupervisor supervisor(duplicate(program->listener));
    target.write("!");
    CHECK(target.read_line() == "went on");
    CHECK(target.wait_for_end() == 0);
  }
}

TEST_CASE("acquire: a process that is stopped stays stopped, and goes on when it is continued", "[linux]") {
  TargetProcess target({"waiting_target", "epoll_wait"});
  REQUIRE(target.read_line() == "waiting");
  REQUIRE(await_sleep(target.pid()));
  REQUIRE(::kill(static_cast<pid_t>(target.pid()), SIGSTOP) == 0);
  REQUIRE(becomes_true([&] { return read_status(target.pid())->state == 'T'; }));
  auto program = acquire(target.pid(), {});
  if (!program) FAIL(program.error().what);
  TestSupervisor supervisor(std::move(program->listener));
  CHECK(becomes_true([&] { return read_status(target.pid())->state == 'T'; }));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  CHECK(read_status(target.pid())->state == 'T');
  REQUIRE(::kill(static_cast<pid_t>(target.pid()), SIGCONT) == 0);
  target.write("!");
  CHECK(target.read_rest() == "result 1, afterwards 0\ntalked 100\ntalked 100\n");
  CHECK(target.wait_for_end() == 0);
}

}  // namespace dpm

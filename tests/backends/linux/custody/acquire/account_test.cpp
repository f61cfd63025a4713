// Accounts and privileges: what changes hands when root or an ordinary account acquires.
#include <string>

#include "os/kernel/process_files.hpp"
#include "tests/backends/linux/custody/acquire/acquired_by_user.hpp"
#include "tests/backends/linux/custody/acquire/target_process.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

const std::string kWentOn = "result 1, afterwards 0\ntalked 100\ntalked 100\n";

bool skipped() {
  if (::geteuid() == 0) return false;
  WARN("SKIPPED: becoming another account needs root");
  return true;
}

}  // namespace

TEST_CASE("acquire: an ordinary account acquires its own process, which gives up gaining privileges", "[linux]") {
  if (skipped()) return;
  for (const std::string wait : {"epoll_wait", "accept", "select"}) {
    TargetProcess target({"waiting_target", wait}, kNobody);
    REQUIRE(target.read_line() == "waiting");
    REQUIRE(await_sleep(target.pid()));
    {
      const AcquiredByUser acquired(kNobody, target.pid());
      CHECK(acquired.outcome() == "acquired, privileges given up");
      CHECK(read_status(target.pid())->no_new_privileges);
      CHECK(read_status(target.pid())->seccomp_filters == 1);
      target.write("!");
      CHECK(target.read_line() + "\n" == kWentOn.substr(0, kWentOn.find('\n') + 1));
    }
    // Its supervisor is dead now.
    CHECK(target.read_rest() == kWentOn.substr(kWentOn.find('\n') + 1));
    CHECK(target.wait_for_end() == 0);
  }
}

TEST_CASE("acquire: an ordinary account acquires a program of many threads", "[linux]") {
  if (skipped()) return;
  TargetProcess target({"threads_target"}, kNobody);
  REQUIRE(target.read_line() == "running");
  const AcquiredByUser acquired(kNobody, target.pid());
  CHECK(acquired.outcome() == "acquired, privileges given up");
  target.close_input();
  CHECK(target.read_line() == "talk: done, 0 wrong");
  target.read_rest();
  CHECK(target.wait_for_end() == 0);
}

TEST_CASE("acquire: root acquires another account's process, which gives up gaining privileges", "[linux]") {
  if (skipped()) return;
  TargetProcess target({"waiting_target", "epoll_wait"}, kNobody);
  REQUIRE(target.read_line() == "waiting");
  REQUIRE(await_sleep(target.pid()));
  const AcquiredByUser acquired(0, target.pid());
  CHECK(acquired.outcome() == "acquired, privileges given up");
  target.write("!");
  CHECK(target.read_rest() == kWentOn);
}

TEST_CASE("acquire: root's own process gives up nothing", "[linux]") {
  if (skipped()) return;
  TargetProcess target({"waiting_target", "epoll_wait"});
  REQUIRE(target.read_line() == "waiting");
  REQUIRE(await_sleep(target.pid()));
  const AcquiredByUser acquired(0, target.pid());
  CHECK(acquired.outcome() == "acquired");
  CHECK_FALSE(read_status(target.pid())->no_new_privileges);
  target.write("!");
  CHECK(target.read_rest() == kWentOn);
}

TEST_CASE("acquire: root acquires a process whose own filter kills it for any other call", "[linux]") {
  if (skipped()) return;
  TargetProcess target({"guarded_target", "sandboxed"});
  REQUIRE(target.read_line() == "waiting");
  REQUIRE(await_sleep(target.pid()));
  const AcquiredByUser acquired(0, target.pid());
  CHECK(acquired.outcome() == "acquired");
  CHECK(read_status(target.pid())->seccomp_filters == 2);
  target.write("!");
  CHECK(target.read_line() == "went on");
  CHECK(target.wait_for_end() == 0);
}

}  // namespace dpm

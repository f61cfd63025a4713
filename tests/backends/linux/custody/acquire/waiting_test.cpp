// A process is acquired while it waits, in every way there is to wait. It must say and do what it says and does when
// it is left alone.
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "backends/linux/custody/acquire/acquire.hpp"
#include "backends/linux/custody/keeper/keeper.hpp"
#include "tests/backends/linux/custody/acquire/target_process.hpp"
#include "tests/backends/linux/custody/acquire/test_supervisor.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

std::vector<std::string> names_of_waits() {
  TargetProcess lister({"waiting_target", "--list"});
  std::istringstream lines(lister.read_rest());
  std::vector<std::string> names;
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  return names;
}

void await_wait(TargetProcess& target) {
  REQUIRE(target.read_line() == "waiting");
  REQUIRE(await_sleep(target.pid()));
}

}  // namespace

TEST_CASE("acquire: a process that waits notices nothing, is notified afterwards, and goes on when let go", "[linux]") {
  const auto names = names_of_waits();
  REQUIRE(names.size() >= 40);
  for (const auto& name : names) {
    INFO("reproduce: test_linux_acquire -c " << name);
    DYNAMIC_SECTION(name) {
      TargetProcess left_alone({"waiting_target", name}), target({"waiting_target", name});
      await_wait(left_alone);
      await_wait(target);

      auto program = acquire(target.pid(), {});
      if (!program) FAIL(program.error().what);
      CHECK_FALSE(program->from_start);
      CHECK(program->pid == target.pid());
      TestSupervisor first(duplicate(program->listener));
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      left_alone.write("!");
      target.write("!");
      std::string said = target.read_line() + "\n";
      said += target.read_line() + "\n";
      CHECK(first.calls() >= 200);
      first.stop();
      REQUIRE(leave_to_keeper(*program));
      said += target.read_rest();
      CHECK(said == left_alone.read_rest());
      CHECK(said.ends_with("talked 100\ntalked 100\n"));
      CHECK(target.wait_for_end() == 0);
    }
  }
}

}  // namespace dpm

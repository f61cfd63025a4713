// What calls that wait for children ask for, from their arguments alone.
#include "backends/linux/supervisor/wait_request.hpp"

#include <sys/syscall.h>
#include <sys/wait.h>

#include <csignal>

#include "backends/linux/supervisor/child_waits.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

WaitRequest wait4_of(int pid, int options) {
  Notification notification;
  notification.call = SYS_wait4;
  notification.arguments = {static_cast<std::uint64_t>(static_cast<std::int64_t>(pid)), 0,
                            static_cast<std::uint64_t>(options)};
  return wait_request(notification);
}

WaitRequest waitid_of(std::uint64_t type, std::uint64_t id, int options) {
  Notification notification;
  notification.call = SYS_waitid;
  notification.arguments = {type, id, 0, static_cast<std::uint64_t>(options)};
  return wait_request(notification);
}

ChildState child(std::uint32_t pid, std::uint32_t group) {
  return {.pid = pid, .parent_pid = 1, .group = group, .state = 'S', .threads = 1, .exit_signal = SIGCHLD};
}

}  // namespace

TEST_CASE("waits: the sign of wait4's number says whether a process or a group is meant", "[linux]") {
  CHECK(wait4_of(-1, 0).which == WaitRequest::Which::any);
  CHECK(wait4_of(0, 0).which == WaitRequest::Which::own_group);
  CHECK(wait4_of(70, 0).which == WaitRequest::Which::process);
  CHECK(wait4_of(70, 0).id == 70);
  CHECK(wait4_of(-70, 0).which == WaitRequest::Which::group);
  CHECK(wait4_of(-70, 0).id == 70);
}

TEST_CASE("waits: wait4 always asks for ends, waitid only with WEXITED", "[linux]") {
  CHECK(wait4_of(-1, 0).ends);
  CHECK(waitid_of(P_ALL, 0, WEXITED).ends);
  CHECK_FALSE(waitid_of(P_ALL, 0, WSTOPPED).ends);
  CHECK(waitid_of(P_ALL, 0, WEXITED | WNOWAIT).leaves_child);
  CHECK_FALSE(waitid_of(P_ALL, 0, WEXITED | WNOHANG).blocks);
  CHECK(wait4_of(-1, WUNTRACED).stops);
  CHECK_FALSE(wait4_of(-1, __WALL).is_usual);
  CHECK(wait4_of(-1, WUNTRACED | WCONTINUED | WNOHANG).is_usual);
}

TEST_CASE("waits: a call asks for the children that it selects, and for clones only with their flags",
          "[linux]") {
  CHECK(wait4_of(-1, 0).asks_for(child(5, 7), 9));
  CHECK(wait4_of(5, 0).asks_for(child(5, 7), 9));
  CHECK_FALSE(wait4_of(6, 0).asks_for(child(5, 7), 9));
  CHECK(wait4_of(-7, 0).asks_for(child(5, 7), 9));
  CHECK_FALSE(wait4_of(0, 0).asks_for(child(5, 7), 9));
  CHECK(waitid_of(P_PGID, 0, WEXITED).asks_for(child(5, 9), 9));
  ChildState silent = child(5, 7);
  silent.exit_signal = 0;
  CHECK_FALSE(wait4_of(-1, 0).asks_for(silent, 9));
  CHECK(wait4_of(-1, static_cast<int>(__WCLONE)).asks_for(silent, 9));
  CHECK_FALSE(wait4_of(-1, static_cast<int>(__WCLONE)).asks_for(child(5, 7), 9));
  for (const auto& each : {silent, child(5, 7)}) CHECK(wait4_of(-1, __WALL).asks_for(each, 9));
  ChildState gone = child(5, 7);
  gone.exit_signal = ChildState::kUnknownSignal;
  for (const int options : {0, static_cast<int>(__WCLONE), __WALL}) CHECK(wait4_of(-1, options).asks_for(gone, 9));
}

TEST_CASE("waits: a line of /proc is read whatever the program is called", "[linux]") {
  std::string line =
      "31 (a) (b c) Z 12 30 30 0 -1 4 0 0 0 0 1 2 3 4 20 0 1 0 100 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 ";
  line += "0 0 0 0 0 0 0 0 0 0 256\n";
  const auto state = parse_child(line.c_str());
  REQUIRE(state);
  CHECK(state->pid == 31);
  CHECK(state->parent_pid == 12);
  CHECK(state->group == 30);
  CHECK(state->has_ended());
  CHECK(state->exit_signal == SIGCHLD);
  CHECK(state->exit_code == 256);
  CHECK_FALSE(parse_child("31 (cut"));
}

TEST_CASE("waits: a process whose first thread has ended while others run has not ended", "[linux]") {
  ChildState state = child(5, 7);
  state.state = 'Z';
  CHECK(state.has_ended());
  state.threads = 2;
  CHECK_FALSE(state.has_ended());
}

TEST_CASE("waits: an ended child is remembered until its parent has taken note of it", "[linux]") {
  ChildWaits waits;
  waits.ended(5, {.process = ProcessId{3}, .state = {}, .ended_at = {}});
  REQUIRE(waits.find(5) != nullptr);
  CHECK(waits.find(5)->process == ProcessId{3});
  waits.gone(5);
  CHECK(waits.find(5) == nullptr);
  waits.look_at(1);
  waits.look_at(1);
  CHECK(waits.take_looks() == std::vector<std::uint32_t>{1});
  CHECK(waits.take_looks().empty());
}

}  // namespace dpm

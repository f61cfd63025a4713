#include "backends/linux/custody/keeper/rescue.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <memory>
#include <thread>

#include "backends/linux/custody/keeper/keeper.hpp"
#include "os/kernel/process_files.hpp"
#include "os/kernel/waiting_call.hpp"
#include "os/process_handle.hpp"
#include "tests/backends/linux/custody/keeper/test_processes.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using Start = SmallMeter::Start;
using Habit = SmallMeter::Habit;

namespace {

void kill_both(const ProgramUnderTest& program, SmallMeter& meter) {
  const std::uint32_t keeper = keeper_of(program);
  REQUIRE(keeper != 0);
  kill_and_wait(keeper);
  meter.kill();
}

void sleep_ms(int duration_ms) { std::this_thread::sleep_for(std::chrono::milliseconds(duration_ms)); }

std::size_t waiting_threads(std::uint32_t pid) {
  const auto tids = read_thread_ids(pid);
  return static_cast<std::size_t>(
      std::count_if(tids.begin(), tids.end(), [pid](std::uint32_t tid) { return waits_for_supervisor(pid, tid); }));
}

}  // namespace

TEST_CASE("rescue: with the keeper killed too calls wait, and go on with a new meter and keeper", "[keeper]") {
  struct Row {
    ResolvedChannel way;
    int pairs;
  };
  const auto row =
      GENERATE(Row{ResolvedChannel::socketpair, 0}, Row{ResolvedChannel::tcp, 2}, Row{ResolvedChannel::pipe, 2});
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(row.way, row.pairs));
  auto meter = std::make_unique<SmallMeter>(program, Start::first);
  program.begin();
  for (int i = 0; i < 6; ++i) {
    REQUIRE(program.goes_on());
    kill_both(program, *meter);
    if (i == 0) CHECK(program.stands_still());
    meter = std::make_unique<SmallMeter>(program, Start::rescue);
    REQUIRE(meter->said().starts_with("meters " + std::to_string(program.pid())));
  }
  meter->kill();  // the new keeper is one like the first
  CHECK(program.goes_on());
  CHECK(program.end() == 0);
  CHECK(program.state().failed_calls == 0);
  CHECK(all_processes_end());
  CHECK(sockets_left() == 0);  // those of the killed keepers included
}

TEST_CASE("rescue: a call that was held while tens of thousands of others passed goes on too", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 2));
  SmallMeter first(program, Start::first);
  program.begin();
  REQUIRE(program.goes_on());
  first.kill();
  SmallMeter meter(program, Start::take_over, Habit::holds_first);
  // One pair stands, the other plays, with four calls a round: more than the ids that are tried.
  const std::uint64_t now = program.state().rounds;
  REQUIRE(becomes_true([&] { return program.state().rounds > now + 20'000; }));
  kill_both(program, meter);
  REQUIRE(becomes_true([&] { return waiting_threads(program.pid()) >= 2; }));
  SmallMeter next(program, Start::rescue);
  REQUIRE(next.meters());
  CHECK(program.goes_on());
  CHECK(program.end() == 0);  // which both pairs must notice
  CHECK(program.state().failed_calls == 0);
}

TEST_CASE("rescue: calls of processes that cannot be found are let go by the sequence of ids", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program([](ProgramState& state) {
    // Its call is the one that is held: without parent and listener, in a session of its own.
    const pid_t between = ::fork();
    if (between == 0) {
      if (::fork() == 0) {
        ::close(static_cast<int>(state.listener) - 1);
        ::setsid();
        state.child = static_cast<std::uint32_t>(::getpid());
        read_once(state);
      }
      ::_exit(0);
    }
    // Without a notified call.
    const UniqueFd ended = open_process(static_cast<std::uint32_t>(between));
    while (!has_ended(ended.get())) sleep_ms(1);
    while (!state.stop) {
      if (state.call_once.exchange(false)) read_once(state);
      sleep_ms(1);
    }
  });
  SmallMeter meter(program, Start::first, Habit::holds_first);
  program.begin();
  REQUIRE(becomes_true([&] { return program.state().child != 0; }));
  const std::uint32_t orphan = program.state().child;
  REQUIRE(becomes_true([&] { return waits_for_supervisor(orphan, orphan); }));
  REQUIRE(becomes_true([&] { return program.state().held_calls == 1; }));
  kill_both(program, meter);

  SmallMeter next(program, Start::rescue);
  REQUIRE(next.meters());
  next.kill();
  sleep_ms(20);
  CHECK(waits_for_supervisor(orphan, orphan));  // no call has come that would tell where ids are
  program.state().call_once = true;
  CHECK(becomes_true([&] { return program.state().rounds == 2; }));
  CHECK(program.end() == 0);
}

TEST_CASE("rescue: any process of the program will do", "[keeper]") {
  const PrivateRuntime runtime;
  const bool closes_listener = GENERATE(false, true);
  ProgramUnderTest program([closes_listener](ProgramState& state) {
    const pid_t child = ::fork();
    if (child == 0) {
      if (closes_listener) ::close(static_cast<int>(state.listener) - 1);
      state.child = static_cast<std::uint32_t>(::getpid());
      while (!state.stop) read_once(state);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  });
  SmallMeter meter(program, Start::first);
  program.begin();
  REQUIRE(program.goes_on());
  CHECK(custody_of(program.state().child) == Custody::kept);
  kill_both(program, meter);
  CHECK(program.stands_still());
  CHECK(custody_of(program.state().child) == Custody::abandoned);
  const SmallMeter next(program, Start::rescue, Habit::answers, program.state().child);
  REQUIRE(next.said().starts_with("meters " + std::to_string(program.pid())));
  CHECK(program.goes_on());
  CHECK(program.end() == 0);
}

TEST_CASE("rescue: refused when there is nothing to rescue", "[keeper]") {
  const PrivateRuntime runtime;
  const auto self = static_cast<std::uint32_t>(::getpid());
  CHECK(custody_of(self) == Custody::none);
  const auto unmetered = rescue(self);
  REQUIRE(!unmetered);
  CHECK(unmetered.error().what.find("belongs to no metered program") != std::string::npos);

  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  SmallMeter meter(program, Start::first);
  const auto kept = rescue(program.pid());
  REQUIRE(!kept);
  CHECK(kept.error().what == "process " + std::to_string(program.pid()) + " has a keeper (process " +
                                 std::to_string(keeper_of(program)) + "): it needs no rescue, take it over");
}

TEST_CASE("rescue: a program whose supervisor lives but cannot be asked is left alone", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  const SmallMeter meter(program, Start::first);
  program.begin();
  const std::uint32_t keeper = keeper_of(program);
  const PrivateRuntime elsewhere;  // where no keeper is found
  CHECK(custody_of(program.pid()) == Custody::none);
  const auto rescued = rescue(program.pid());
  REQUIRE(!rescued);
  const bool names_one = rescued.error().what.find("process " + std::to_string(keeper) + " ") != std::string::npos ||
                         rescued.error().what.find("process " + std::to_string(meter.pid()) + " ") != std::string::npos;
  CHECK(names_one);
  CHECK(program.goes_on());
  CHECK(program.end() == 0);
}

TEST_CASE("rescue: two at once make one meter", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 2));
  SmallMeter meter(program, Start::first);
  program.begin();
  REQUIRE(program.goes_on());
  kill_both(program, meter);
  std::unique_ptr<SmallMeter> one, other;
  std::atomic<bool> is_made{false};
  std::atomic<bool> looked_at{false};
  std::thread beside([&] {
    other = std::make_unique<SmallMeter>(program, Start::rescue);
    is_made = true;
    becomes_true([&] { return looked_at.load(); });  // its process ends with the thread that made it
  });
  one = std::make_unique<SmallMeter>(program, Start::rescue);
  REQUIRE(becomes_true([&] { return is_made.load(); }));
  CHECK(one->meters() != other->meters());
  CHECK(program.goes_on());
  CHECK(keeper_of(program) != 0);
  CHECK(program.end() == 0);
  looked_at = true;
  beside.join();
}

TEST_CASE("restart_waiting_call: a thread that is traced or gone is left alone", "[keeper]") {
  CHECK(!restart_waiting_call(static_cast<std::uint32_t>(::getpid())));
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  REQUIRE(::waitpid(gone, nullptr, 0) == gone);
  CHECK(!restart_waiting_call(static_cast<std::uint32_t>(gone)));
}

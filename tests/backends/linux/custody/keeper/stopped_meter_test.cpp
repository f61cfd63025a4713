#include "backends/linux/custody/keeper/stopped_meter.hpp"

#include <chrono>
#include <csignal>
#include <thread>

#include "os/kernel/process_files.hpp"
#include "tests/backends/linux/custody/keeper/test_processes.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using Start = SmallMeter::Start;
using Habit = SmallMeter::Habit;

namespace {

constexpr std::int64_t kMs = 1'000'000;

void stop(const SmallMeter& meter) { ::kill(static_cast<pid_t>(meter.pid()), SIGSTOP); }
void go_on(const SmallMeter& meter) { ::kill(static_cast<pid_t>(meter.pid()), SIGCONT); }

bool is_stopped(const SmallMeter& meter) { return dpm::is_stopped(open_process_state(meter.pid())); }

}  // namespace

TEST_CASE("stopped meter: its state is read from what stands behind its name", "[keeper]") {
  CHECK(says_stopped("4711 (dpm-meter) T 1 4711"));
  CHECK(says_stopped("4711 (dpm-meter) t 1 4711"));
  CHECK_FALSE(says_stopped("4711 (dpm-meter) S 1 4711"));
  CHECK_FALSE(says_stopped("4711 (a) T (b) S 1 4711"));
  CHECK(says_stopped("4711 (a) S (b) T 1 4711"));
  CHECK_FALSE(says_stopped("4711 (dpm)"));
  CHECK_FALSE(says_stopped(""));
}

TEST_CASE("stopped meter: only a state that lasts counts", "[keeper]") {
  StoppedMeter meter;
  CHECK_FALSE(meter.look(1000 * kMs, true));
  CHECK_FALSE(meter.look(1100 * kMs, true));
  CHECK(meter.look(2000 * kMs, true));
  CHECK(meter.look(9000 * kMs, true));
  CHECK_FALSE(meter.look(9050 * kMs, false));
  CHECK_FALSE(meter.may_be_stopped());
  CHECK_FALSE(meter.look(9100 * kMs, true));
}

TEST_CASE("stopped meter: as long as its heart beats nothing else is looked at", "[keeper]") {
  StoppedMeter meter;
  CHECK_FALSE(meter.is_suspicious(1));
  CHECK(meter.is_suspicious(1));
  CHECK_FALSE(meter.look(1000 * kMs, true));
  CHECK_FALSE(meter.is_suspicious(2));  // it was continued, and stopped again
  CHECK(meter.is_suspicious(2));
  CHECK_FALSE(meter.look(2000 * kMs, true));
}

TEST_CASE("stopped meter: the program goes on meanwhile, and the meter meters on when it is continued", "[keeper]") {
  const auto way = GENERATE(ResolvedChannel::pipe, ResolvedChannel::socketpair, ResolvedChannel::tcp);
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(way, 2));
  SmallMeter meter(program, Start::first);
  program.begin();
  REQUIRE(program.goes_on());
  for (int i = 0; i < 2; ++i) {
    stop(meter);
    REQUIRE(becomes_true([&] { return is_stopped(meter); }));
    CHECK(program.goes_on());
    CHECK(is_stopped(meter));
    go_on(meter);
    REQUIRE(becomes_true([&] { return !is_stopped(meter); }));
    CHECK(program.goes_on());
  }
  stop(meter);
  CHECK(program.goes_on());
  meter.kill();
  CHECK(program.goes_on());
  CHECK(program.end() == 0);
  CHECK(program.state().failed_calls == 0);
  CHECK(all_processes_end());
}

TEST_CASE("stopped meter: what it has in its hands is let go", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(read_once);
  SmallMeter meter(program, Start::first, Habit::holds_all);
  program.begin();
  REQUIRE(becomes_true([&] { return program.state().held_calls == 1; }));
  stop(meter);
  CHECK(program.end() == 0);
  CHECK(is_stopped(meter));
  CHECK(program.state().failed_calls == 0);
}

TEST_CASE("stopped meter: one that takes its time keeps its calls", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(read_once);
  SmallMeter meter(program, Start::first, Habit::holds_all);
  program.begin();
  REQUIRE(becomes_true([&] { return program.state().held_calls == 1; }));
  std::this_thread::sleep_for(std::chrono::seconds(3));
  CHECK(program.state().rounds == 0);
  meter.kill();
  CHECK(program.end() == 0);
}

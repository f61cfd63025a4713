#include "backends/linux/custody/keeper/keeper.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <thread>

#include "os/kernel/open_descriptors.hpp"
#include "os/kernel/process_files.hpp"
#include "tests/backends/linux/custody/keeper/test_processes.hpp"
#include "tests/support/catch.hpp"

using namespace dpm;
using Start = SmallMeter::Start;
using Habit = SmallMeter::Habit;

namespace {

std::string read_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::ptrdiff_t descriptors_of(std::uint32_t pid) {
  const std::filesystem::directory_iterator begin("/proc/" + std::to_string(pid) + "/fd"), end;
  return std::distance(begin, end);
}

void check_program_ends_well(ProgramUnderTest& program) {
  CHECK(program.end() == 0);
  CHECK(program.state().failed_calls == 0);
  CHECK(program.state().error_number == 0);
}

void busy_us(unsigned duration_us) {
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(duration_us);
  while (std::chrono::steady_clock::now() < until) {
  }
}

void sleep_us(unsigned duration_us) { std::this_thread::sleep_for(std::chrono::microseconds(duration_us)); }

// One thread makes a call when it is told to, the other sends it signals meanwhile.
void calls_that_are_interrupted(ProgramState& state) {
  struct sigaction action = {};
  action.sa_handler = [](int) {};  // without SA_RESTART
  ::sigaction(SIGUSR1, &action, nullptr);
  std::atomic<bool> calling{false};
  const pthread_t caller = ::pthread_self();
  std::thread signaller([&] {
    unsigned wait_us = 0;
    while (!state.stop) {
      while (!calling && !state.stop) std::this_thread::yield();
      busy_us(wait_us = (wait_us + 7) % 60);
      ::pthread_kill(caller, SIGUSR1);
      while (calling && !state.stop) std::this_thread::yield();
    }
  });
  int ends[2];
  if (::pipe(ends) != 0) ++state.failed_calls;
  ::close(ends[1]);
  while (!state.stop) {
    if (!state.call_once.exchange(false)) continue;
    calling = true;
    char nothing = 0;
    if (::read(ends[0], &nothing, 1) != 0 && errno != EINTR) ++state.failed_calls;
    calling = false;
    ++state.rounds;
  }
  signaller.join();
}

// Kills the meter again and again, and lets another take over: at once, or after the keeper has answered for a while.
void kill_meters(ProgramUnderTest& program, int kills, unsigned seed) {
  INFO("seed " << seed);
  std::minstd_rand random(seed);
  auto meter = std::make_unique<SmallMeter>(program, Start::first);
  REQUIRE(meter->said() ==
          "meters " + std::to_string(program.pid()) + " from_start exact_paths unprivileged ping pong");
  program.begin();
  for (int i = 0; i < kills; ++i) {
    sleep_us(static_cast<unsigned>(random()) % 1500);
    meter->kill();
    if (random() % 2 == 0) sleep_us(static_cast<unsigned>(random()) % 1500);
    if (random() % 8 == 0) REQUIRE(program.goes_on());
    meter = std::make_unique<SmallMeter>(program, Start::take_over);
    REQUIRE(meter->said() == "meters " + std::to_string(program.pid()) + " exact_paths unprivileged ping pong");
  }
  REQUIRE(program.goes_on());
  meter->kill();
  REQUIRE(program.goes_on());
}

}  // namespace

TEST_CASE("keeper: no call fails when the meter is killed at any moment", "[keeper]") {
  struct Row {
    ResolvedChannel way;
    int pairs;
    int kills;
  };
  const auto row = GENERATE(Row{ResolvedChannel::socketpair, 0, 60}, Row{ResolvedChannel::socketpair, 2, 60},
                            Row{ResolvedChannel::pipe, 0, 60}, Row{ResolvedChannel::pipe, 2, 60},
                            Row{ResolvedChannel::tcp, 0, 60}, Row{ResolvedChannel::tcp, 2, 60});
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(row.way, row.pairs));
  kill_meters(program, row.kills, static_cast<unsigned>(row.pairs * 10 + static_cast<int>(row.way)));
  check_program_ends_well(program);
  CHECK(all_processes_end());
  CHECK(sockets_left() == 0);
}

TEST_CASE("keeper: lets go what a killed meter had in its hands", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 3));
  SmallMeter meter(program, Start::first);
  program.begin();
  REQUIRE(program.goes_on());
  // The second time shows that nothing of the first is left in the slots.
  for (int time = 1; time <= 2; ++time) {
    meter.kill();
    SmallMeter holding(program, Start::take_over, Habit::holds_all);
    REQUIRE(holding.meters());
    CHECK(program.stands_still());
    holding.kill();
    CHECK(program.goes_on());
  }
  check_program_ends_well(program);
}

TEST_CASE("keeper: ends with the program, in stand-by and answering, and removes its socket", "[keeper]") {
  const PrivateRuntime runtime;
  const bool meter_dies_first = GENERATE(false, true);
  ProgramUnderTest program(ping_pong(ResolvedChannel::pipe, 1));
  SmallMeter meter(program, Start::first);
  program.begin();
  REQUIRE(program.goes_on());
  CHECK(sockets_left() == 1);
  if (meter_dies_first) meter.kill();
  check_program_ends_well(program);
  if (!meter_dies_first) CHECK(meter.ends());
  CHECK(all_processes_end());
  CHECK(sockets_left() == 0);
}

TEST_CASE("keeper: a program that is killed takes its keeper along", "[keeper]") {
  const PrivateRuntime runtime;
  {
    ProgramUnderTest program(ping_pong(ResolvedChannel::tcp, 1));
    SmallMeter meter(program, Start::first);
    program.begin();
    REQUIRE(program.goes_on());
    meter.kill();
    REQUIRE(program.goes_on());
  }
  CHECK(all_processes_end());
  CHECK(sockets_left() == 0);
}

TEST_CASE("keeper: cannot be ended by signals, holds no descriptor of others, and is called by its own name",
          "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 0));
  int ends[2];
  REQUIRE(::pipe(ends) == 0);  // like a pipe through which our output is read
  SmallMeter meter(program, Start::first);
  program.begin();
  const std::uint32_t keeper = keeper_of(program);
  REQUIRE(keeper != 0);
  const std::string folder = "/proc/" + std::to_string(keeper);

  for (const int signal : {SIGTERM, SIGINT, SIGHUP, SIGQUIT, SIGPIPE, SIGUSR1, SIGALRM, SIGTSTP, SIGRTMIN + 3})
    REQUIRE(::kill(static_cast<pid_t>(keeper), signal) == 0);
  meter.kill();
  CHECK(program.goes_on());
  CHECK(keeper_of(program) == keeper);

  CHECK(read_text(folder + "/comm") == "dpm-keeper\n");
  const std::string called = read_text(folder + "/cmdline");
  CHECK(called.substr(0, called.find('\0')) == "dpm-keeper " + std::to_string(program.pid()));
  CHECK(::getsid(static_cast<pid_t>(keeper)) == static_cast<pid_t>(keeper));
  ::close(ends[1]);
  char nothing = 0;
  CHECK(::read(ends[0], &nothing, 1) == 0);
  ::close(ends[0]);
  // Three of /dev/null, listener, slots, folder, socket: neither the meter's pidfd nor who just asked.
  CHECK(becomes_true([&] { return descriptors_of(keeper) == 7; }));
  check_program_ends_well(program);
}

TEST_CASE("keeper: while calls come it hears who asks, and takes no time when none do", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 0));
  SmallMeter meter(program, Start::first);
  program.begin();
  REQUIRE(program.goes_on());
  meter.kill();
  REQUIRE(program.goes_on());
  const std::uint32_t keeper = keeper_of(program);
  REQUIRE(keeper != 0);
  ::kill(static_cast<pid_t>(program.pid()), SIGSTOP);
  const auto switches = [&] { return read_text("/proc/" + std::to_string(keeper) + "/schedstat"); };
  CHECK(becomes_true([&] {  // once a tick has noticed that nothing comes
    const std::string before = switches();
    sleep_us(300'000);
    return switches() == before;
  }));
  ::kill(static_cast<pid_t>(program.pid()), SIGCONT);
  CHECK(program.goes_on());
  check_program_ends_well(program);
}

TEST_CASE("keeper: a call that a signal takes away before it is received keeps no other waiting", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(calls_that_are_interrupted);
  SmallMeter meter(program, Start::first);
  program.begin();
  meter.kill();
  for (std::uint64_t i = 0; i < 500; ++i) {
    program.state().call_once = true;
    REQUIRE(becomes_true([&] { return program.state().rounds == i + 1; }));
    REQUIRE(keeper_of(program) != 0);  // it can be asked, though no more calls come
  }
  check_program_ends_well(program);
}

TEST_CASE("take_over: refused while a meter lives, with its process id", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  SmallMeter meter(program, Start::first);
  program.begin();
  const SmallMeter second(program, Start::take_over);
  CHECK(second.said() == "program " + std::to_string(program.pid()) + " (ping pong) is already metered by process " +
                             std::to_string(meter.pid()));
  CHECK(program.goes_on());
  meter.kill();
  SmallMeter third(program, Start::take_over);
  CHECK(third.meters());
  const SmallMeter fourth(program, Start::take_over);
  CHECK(fourth.said().ends_with("is already metered by process " + std::to_string(third.pid())));
  CHECK(program.goes_on());
  check_program_ends_well(program);
  CHECK(third.ends());
}

TEST_CASE("take_over: refused for processes that are gone or belong to no metered program", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  SmallMeter meter(program, Start::first);
  const std::string self = std::to_string(::getpid());
  const auto refused = take_over(static_cast<std::uint32_t>(::getpid()));
  REQUIRE(!refused);
  const std::string& why = refused.error().what;
  CHECK(why.starts_with("process " + self +
                        " (test_linux_keep) belongs to no metered program that dpm knows; metered are: "));
  CHECK(why.find(std::to_string(program.pid()) + " (ping pong)") != std::string::npos);
  const pid_t gone = ::fork();
  if (gone == 0) ::_exit(0);
  REQUIRE(::waitpid(gone, nullptr, 0) == gone);
  const auto of_gone = take_over(static_cast<std::uint32_t>(gone));
  REQUIRE(!of_gone);
  CHECK(of_gone.error().what == "there is no process " + std::to_string(gone));
}

TEST_CASE("take_over: finds the program by any of its processes", "[keeper]") {
  const PrivateRuntime runtime;
  // What the process that is asked for has kept: the listener, or its parents.
  struct Row {
    bool closes_listener, is_orphan, is_found;
  };
  const auto row =
      GENERATE(Row{false, false, true}, Row{true, false, true}, Row{false, true, true}, Row{true, true, false});
  INFO("closes_listener " << row.closes_listener << " is_orphan " << row.is_orphan);
  ProgramUnderTest program([row](ProgramState& state) {
    const pid_t between = ::fork();
    if (between == 0) {
      const pid_t child = ::fork();
      if (child == 0) {
        if (row.closes_listener) ::close(static_cast<int>(state.listener) - 1);
        state.child = static_cast<std::uint32_t>(::getpid());
        while (!state.stop) sleep_us(1000);
        ::_exit(0);
      }
      if (!row.is_orphan) ::waitpid(child, nullptr, 0);
      ::_exit(0);
    }
    ::waitpid(between, nullptr, 0);
    while (!state.stop) sleep_us(1000);
  });
  SmallMeter meter(program, Start::first);
  program.begin();
  REQUIRE(becomes_true([&] { return program.state().child != 0; }));
  const std::uint32_t child = program.state().child;
  if (row.is_orphan) {
    REQUIRE(becomes_true([&] { return read_status(child)->parent_pid == static_cast<std::uint32_t>(::getpid()); }));
  }
  meter.kill();
  const SmallMeter next(program, Start::take_over, Habit::answers, child);
  CHECK(next.meters() == row.is_found);
  if (!row.is_found) CHECK(next.said().find("belongs to no metered program") != std::string::npos);
  check_program_ends_well(program);
}

TEST_CASE("leave_to_keeper: the keeper answers although the meter lives, which may take over again", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 2));
  SmallMeter meter(program, Start::first, Habit::holds_all);
  program.begin();
  CHECK(program.stands_still());
  meter.leave();
  CHECK(program.goes_on());
  SmallMeter next(program, Start::take_over, Habit::holds_all);
  CHECK(next.meters());
  CHECK(program.stands_still());
  meter.kill();  // which is no longer its concern
  CHECK(program.stands_still());
  next.leave();
  CHECK(program.goes_on());
  check_program_ends_well(program);
  next.kill();
}

TEST_CASE("leave_to_keeper: only the meter can", "[keeper]") {
  const PrivateRuntime runtime;
  ProgramUnderTest program(ping_pong(ResolvedChannel::socketpair, 1));
  SmallMeter meter(program, Start::first, Habit::holds_all);
  program.begin();
  MeteredProgram not_ours{.pid = program.pid(),
                          .command = "ping pong",
                          .from_start = true,
                          .privileges_given_up = true,
                          .listener = program.borrow_listener(),
                          .slots = *NotificationSlots::create()};
  CHECK(!leave_to_keeper(not_ours));
  CHECK(program.stands_still());
  not_ours.listener.reset();
}

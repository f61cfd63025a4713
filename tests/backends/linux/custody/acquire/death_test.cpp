// dpm is killed during an acquisition: after each step, and at random moments. The process to be acquired must not notice,
// whether it has its filter by then or not.
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <functional>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <thread>

#include "backends/linux/calls/metered_call.hpp"
#include "backends/linux/custody/acquire/acquire.hpp"
#include "backends/linux/custody/acquire/injection.hpp"
#include "backends/linux/custody/keeper/rescue.hpp"
#include "os/kernel/open_descriptors.hpp"
#include "os/kernel/process_files.hpp"
#include "tests/backends/linux/custody/acquire/target_process.hpp"
#include "tests/backends/linux/custody/acquire/test_supervisor.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

enum class Step { stop, divert, install, keep, restore };
constexpr std::array kSteps = {Step::stop, Step::divert, Step::install, Step::keep, Step::restore};

// In a child: everything up to `last`, and then it is dead.
[[noreturn]] void inject_until(const AcquireTarget& target, Step last) {
  const auto die_after = [last](Step step) {
    if (step == last) ::raise(SIGKILL);
  };
  Injection injection(target, seccomp_program({harmless_calls(), {}}));
  if (!injection.stop(Duration::from_seconds(5))) ::_exit(1);
  die_after(Step::stop);
  if (!injection.divert()) ::_exit(2);
  die_after(Step::divert);
  auto listener = injection.install(true);
  if (!listener) ::_exit(3);
  die_after(Step::install);
  if (!injection.keep()) ::_exit(4);
  die_after(Step::keep);
  injection.restore();
  die_after(Step::restore);
  ::_exit(5);
}

int in_child(const std::function<void()>& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  return child;
}

int status_of(pid_t child) {
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

// Without rights, the filter needs no_new_privs, which dpm asks for in a further step: nothing else would.
bool has_filter_after(Step last) {
  if (last == Step::divert) return read_status(static_cast<std::uint32_t>(::getpid()))->may_administrate;
  return last != Step::stop;
}

void await_filter(std::uint32_t pid) {
  REQUIRE(becomes_true([pid] { return read_status(pid)->seccomp_filters > 0; }));
}

// The process has its filter, but no supervisor: we become it when the process has stored its listener.
std::unique_ptr<TestSupervisor> attend(std::uint32_t pid) {
  std::unique_ptr<TestSupervisor> supervisor;
  becomes_true([&] {
    if (auto program = rescue(pid)) supervisor = std::make_unique<TestSupervisor>(std::move(program->listener));
    return supervisor != nullptr;
  });
  return supervisor;
}

// Kills the tracer of the target, some time after tracing has begun.
void kill_tracer(std::uint32_t target, unsigned patience_us, const std::atomic<bool>& over) {
  // For an instant the kernel names the parent, which is this process, before it names the tracer.
  const auto self = static_cast<std::uint32_t>(::getpid());
  std::uint32_t tracer = 0;
  while ((tracer == 0 || tracer == self) && !over) tracer = read_status(target)->tracer_pid;
  const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(patience_us);
  while (std::chrono::steady_clock::now() < until) {
  }
  if (tracer != 0 && tracer != self) ::kill(static_cast<pid_t>(tracer), SIGKILL);
}

std::string expected_of(const std::string& wait) {
  const bool fails = wait == "interrupted_read" || wait == "sigsuspend";
  const std::string result = fails                                        ? "-4"
                             : wait == "nanosleep" || wait == "condition" ? "0"
                             : wait == "pipe_read"                        ? "5"
                                                                          : "1";
  const std::string afterwards = wait == "interrupted_read" ? "1" : wait == "sigsuspend" ? "12" : "0";
  return "result " + result + ", afterwards " + afterwards + "\ntalked 100\ntalked 100\n";
}

}  // namespace

TEST_CASE("acquire: killed after any step, the process is left as it was or metered, and goes on", "[linux]") {
  for (const std::string wait : {"pipe_read", "nanosleep", "poll_with_timeout", "select", "epoll_wait", "condition",
                                 "sigsuspend", "interrupted_read"}) {
    for (const Step last : kSteps) {
      INFO(wait << ", killed after step " << static_cast<int>(last));
      TargetProcess target({"waiting_target", wait});
      REQUIRE(target.read_line() == "waiting");
      REQUIRE(await_sleep(target.pid()));
      const auto found = examine_target(target.pid());
      REQUIRE(found);
      REQUIRE(status_of(in_child([&] { inject_until(*found, last); })) == -SIGKILL);
      std::unique_ptr<TestSupervisor> supervisor;
      if (has_filter_after(last)) {
        await_filter(target.pid());
        supervisor = attend(target.pid());
        CHECK(supervisor != nullptr);
      }
      target.write("!");
      CHECK(target.read_rest() == expected_of(wait));
      CHECK(target.wait_for_end() == 0);
    }
  }
}

TEST_CASE("acquire: a thread that computes finds all its registers as they were, although we are dead", "[linux]") {
  for (const Step last : kSteps) {
    INFO("killed after step " << static_cast<int>(last));
    TargetProcess target({"computing_target"});
    REQUIRE(target.read_line() == "computing");
    REQUIRE(await_computing(target.pid()));
    const auto found = examine_target(target.pid());
    REQUIRE(found);
    REQUIRE(status_of(in_child([&] { inject_until(*found, last); })) == -SIGKILL);
    std::unique_ptr<TestSupervisor> supervisor;
    if (has_filter_after(last)) {
      await_filter(target.pid());
      supervisor = attend(target.pid());
      CHECK(supervisor != nullptr);
    }
    target.tell_to_end();
    CHECK(target.read_line() == "done, 0 wrong");
    CHECK(target.wait_for_end() == 0);
  }
}

TEST_CASE("acquire: dpm killed at any moment leaves a process that goes on", "[linux]") {
  std::mt19937 random(7);
  int metered = 0;
  for (int round = 0; round < 40; ++round) {
    TargetProcess target({"waiting_target", "pipe_read"});
    REQUIRE(target.read_line() == "waiting");
    REQUIRE(await_sleep(target.pid()));
    const pid_t dpm = in_child([&] {
      const auto program = acquire(target.pid(), {});
      ::pause();
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 8000));
    ::kill(dpm, SIGKILL);
    CHECK(status_of(dpm) == -SIGKILL);
    metered += read_status(target.pid())->seccomp_filters;
    target.write("!");
    CHECK(target.read_rest() == "result 5, afterwards 0\ntalked 100\ntalked 100\n");
    CHECK(target.wait_for_end() == 0);
  }
  WARN(metered << " of 40 were metered by then");
}

TEST_CASE("acquire: the process that acquires killed at any moment leaves one that goes on, metered or not",
          "[linux]") {
  std::mt19937 random(8);
  int metered = 0, rounds = 0;
  // Where nothing has happened to the process yet, all of the patience is waited for.
  const AcquireOptions options{.patience = Duration::from_seconds(0.5)};
  // Not the calls that an undisturbed kernel itself would not make again: see injection.hpp.
  for (const std::string wait : {"pipe_read", "select", "poll_with_timeout", "condition", "sigsuspend"}) {
    for (int i = 0; i < 12; ++i, ++rounds) {
      INFO(wait << ", round " << i);
      TargetProcess target({"waiting_target", wait});
      REQUIRE(target.read_line() == "waiting");
      REQUIRE(await_sleep(target.pid()));
      std::atomic<bool> over{false};
      std::thread killer(
          [&, patience_us = static_cast<unsigned>(random() % 300)] { kill_tracer(target.pid(), patience_us, over); });
      auto program = acquire(target.pid(), options);
      over = true;
      killer.join();
      std::unique_ptr<TestSupervisor> supervisor;
      if (program) supervisor = std::make_unique<TestSupervisor>(std::move(program->listener));
      metered += program ? 1 : 0;
      target.write("!");
      CHECK(target.read_rest() == expected_of(wait));
      CHECK(target.wait_for_end() == 0);
    }
  }
  WARN(metered << " of " << rounds << " were metered");
}

}  // namespace dpm

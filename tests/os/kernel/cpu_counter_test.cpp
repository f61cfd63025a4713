// CPU time that is counted to the end of a process, after which no clock tells it any more.
#include "os/kernel/cpu_counter.hpp"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <ctime>
#include <thread>

#include "os/kernel/tracee.hpp"
#include "tests/support/catch.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kComputesNs = 50'000'000;

void compute() {
  timespec used = {};
  do ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  while (used.tv_sec == 0 && used.tv_nsec < static_cast<long>(kComputesNs));
}

void pause_ns(std::int64_t ns) {
  const timespec pause{0, static_cast<long>(ns)};
  ::nanosleep(&pause, nullptr);
}

// The kernel starts a counter after it has switched to the thread, whose clock runs already: measured, 4 us a switch on an
// idle machine, and as much as its host takes on a busy one.
std::uint64_t counted_late_ns(const rusage& used) {
  constexpr std::uint64_t kSwitchNs = 25'000, kAtTheEndNs = 500'000;
  return kSwitchNs * static_cast<std::uint64_t>(used.ru_nivcsw + used.ru_nvcsw) + kAtTheEndNs;
}

// A thread that starts another: both compute, and end with the process.
[[noreturn]] void compute_in_threads(int begins) {
  char word = 0;
  if (::read(begins, &word, 1) != 1) ::_exit(1);
  std::thread([] {
    std::thread another(compute);
    compute();
    another.join();
    ::_exit(0);
  }).join();
  ::_exit(1);
}

}  // namespace

TEST_CASE("a counter has the CPU time of all threads that its process started, when it is gone", "[kernel]") {
  std::array<int, 2> begins = {};
  REQUIRE(::pipe(begins.data()) == 0);
  const pid_t child = ::fork();
  if (child == 0) compute_in_threads(begins[0]);
  const auto pid = static_cast<std::uint32_t>(child);
  std::uint64_t before_ns = 0;
  REQUIRE(process_cpu_time_ns(pid, before_ns));
  const CpuCounter all(pid, CpuCounter::Scope::thread_and_those_it_starts, before_ns);
  const CpuCounter own(pid, CpuCounter::Scope::thread, before_ns);
  const bool refused = all.was_refused();
  REQUIRE(::write(begins[1], "b", 1) == 1);
  int status = 0;
  rusage used = {};
  REQUIRE(::wait4(child, &status, 0, &used) == child);
  CHECK(status == 0);
  ::close(begins[0]);
  ::close(begins[1]);
  if (refused) return;  // kernel.perf_event_paranoid
  std::uint64_t all_ns = 0, own_ns = 0;
  REQUIRE(all.cpu_time_ns(all_ns));
  REQUIRE(own.cpu_time_ns(own_ns));
  CHECK(all_ns + counted_late_ns(used) >= 2 * kComputesNs);
  CHECK(own_ns < kComputesNs);
}

// Its clock is as old as the last tick of its CPU: up to 10 ms, by which each counter would be short.
TEST_CASE("a counter that is opened while its process runs on another CPU has what it used before", "[kernel]") {
  constexpr int kProcesses = 8;
  constexpr std::int64_t kUntilTickNs = 12'000'000, kPauseNs = 500'000;
  cpu_set_t all = {};
  REQUIRE(::sched_getaffinity(0, sizeof all, &all) == 0);
  if (CPU_COUNT(&all) < 2) {
    WARN("SKIPPED: this needs two CPUs");
    return;
  }
  for (int i = 0; i < kProcesses; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      compute();
      ::_exit(0);
    }
    const auto pid = static_cast<std::uint32_t>(child);
    pause_ns(7'300'000 + 900'000 * i);  // somewhere between two ticks
    std::uint64_t before_ns = 0;
    REQUIRE(process_cpu_time_ns(pid, before_ns));
    CpuCounter counter(pid, CpuCounter::Scope::thread_and_those_it_starts, before_ns);
    for (std::int64_t ns = 0; ns < kUntilTickNs; ns += kPauseNs) {
      pause_ns(kPauseNs);
      std::uint64_t now_ns = 0;
      REQUIRE(process_cpu_time_ns(pid, now_ns));
      counter.clock_says(now_ns);
    }
    int status = 0;
    rusage used = {};
    REQUIRE(::wait4(child, &status, 0, &used) == child);
    if (counter.was_refused()) return;  // kernel.perf_event_paranoid
    std::uint64_t counted_ns = 0;
    REQUIRE(counter.cpu_time_ns(counted_ns));
    CHECK(counted_ns + counted_late_ns(used) >= kComputesNs);
  }
}

}  // namespace dpm

// CPU time that is counted to the end of a process, after which no clock tells it any more.
#include "os/kernel/cpu_counter.hpp"

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
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  ::close(begins[0]);
  ::close(begins[1]);
  if (refused) return;  // kernel.perf_event_paranoid
  std::uint64_t all_ns = 0, own_ns = 0;
  REQUIRE(all.cpu_time_ns(all_ns));
  REQUIRE(own.cpu_time_ns(own_ns));
  CHECK(all_ns >= 2 * kComputesNs);
  CHECK(own_ns < kComputesNs);
}

}  // namespace dpm

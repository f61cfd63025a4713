// S3 test 5.1.1: a loop that performs a simple computation, with an int as its counter and with an Integer. It prints the CPU time of a
// turn of both.
//
//   ./overhead 20000000                                            without a monitor
//   dpm script -q overhead.events -- ./overhead 1000000            with one that wants the counter
#include <time.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <dpm/monitor/integer.hpp>

dpm::monitor::Monitor monitor;

static double cpu_ns() {
  struct timespec now {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

template <typename Counter>
__attribute__((noinline)) static double turn_ns(Counter& i, int turns, std::uint64_t& state) {
  std::uint64_t x = state;
  const double before = cpu_ns();
  for (i = 0; i < turns; ++i) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
  }
  state = x;  // so that the computation is needed
  return (cpu_ns() - before) / turns;
}

int main(int argc, char* argv[]) {
  const int turns = argc > 1 ? std::atoi(argv[1]) : 1'000'000;
  std::uint64_t state = 88172645463325252u;
  int plain = 0;
  dpm::monitor::Integer<int> seen(&monitor, "main", "i", 0);
  double plain_ns = 1e9, seen_ns = 1e9;
  for (int again = 0; again < 5; ++again) {
    plain_ns = std::min(plain_ns, turn_ns(plain, turns, state));
    seen_ns = std::min(seen_ns, turn_ns(seen, turns, state));
  }
  std::printf("a turn takes %.2f ns with an int, %.2f ns with an Integer: %.2f times\n", plain_ns, seen_ns,
              seen_ns / plain_ns);
  return state == 0;
}

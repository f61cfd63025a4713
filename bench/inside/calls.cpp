// calls WAY TIMES: calls a function that assigns a number, in one way of telling it: bare, library, usdt, lttng. Prints the CPU time of a
// call in ns; "missing" for a way that this program was built without. It is built with libdpm, and without anything of DPM.
//
// calls stay COUNT: as many processes, each of which assigns once a second, until the first is killed.
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#ifdef DPM_HAS_LIBRARY
#include <dpm/monitor/integer.hpp>
#endif
#include <string>
#include <vector>
#ifdef DPM_HAS_SDT
#include <sys/sdt.h>
#endif
#ifdef DPM_HAS_LTTNG
#include "bench/inside/lttng_provider.h"
#endif

namespace {

volatile long value = 0;

double cpu_ns() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// In bursts that a ring holds, so that what is recorded is recorded and not refused.
template <typename Call>
int measure(long times, Call call) {
  constexpr long kBurst = 8000;
  constexpr timespec kPause = {0, 5'000'000};
  double taken_ns = 0;
  for (long done = 0; done < times; done += kBurst) {
    const double before_ns = cpu_ns();
    for (long i = 0; i < kBurst; ++i) call(i);
    taken_ns += cpu_ns() - before_ns;
    nanosleep(&kPause, nullptr);
  }
  std::printf("%.3f\n", taken_ns / static_cast<double>((times + kBurst - 1) / kBurst * kBurst));
  return 0;
}

}  // namespace

extern "C" {
__attribute__((noinline)) void assigned(long number) { value = number; }
__attribute__((noinline)) void never(long number) { value = -number; }
#ifdef DPM_HAS_SDT
__attribute__((noinline)) void assigned_usdt(long number) {
  value = number;
  DTRACE_PROBE1(dpm_bench, assigned, number);
}
#endif
#ifdef DPM_HAS_LTTNG
__attribute__((noinline)) void assigned_lttng(long number) {
  value = number;
  lttng_ust_tracepoint(dpm_bench, assigned, number);
}
#endif
}

namespace {

template <typename Call>
int stay(long count, Call call) {
  for (long other = 1; other < count; ++other)
    if (fork() == 0) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      usleep(static_cast<useconds_t>(other % 1000 * 1000));  // not all at once
      break;
    }
  for (long turn = 0;; ++turn) {
    call(turn);
    sleep(1);
  }
}

int stay(long count) {
#ifdef DPM_HAS_LIBRARY
  dpm::monitor::Monitor monitor;
  std::vector<dpm::monitor::Integer<long>> objects;
  objects.reserve(10);
  for (int o = 0; o < 10; ++o) objects.emplace_back(&monitor, "main", ("o" + std::to_string(o)).c_str(), 0);
  return stay(count, [&](long number) {
    for (auto& object : objects) object = number;
  });
#else
  return stay(count, assigned);
#endif
}

}  // namespace

int main(int argc, char* argv[]) {
  if (argc != 3) return 2;
  const long times = std::atol(argv[2]);
  if (std::strcmp(argv[1], "stay") == 0) return stay(times);
  if (std::strcmp(argv[1], "never") == 0) never(times);
  if (std::strcmp(argv[1], "bare") == 0) return measure(times, assigned);
#ifdef DPM_HAS_LIBRARY
  if (std::strcmp(argv[1], "library") == 0) {
    dpm::monitor::Monitor monitor;
    dpm::monitor::Integer<long> seen(&monitor, "main", "seen", 0);
    return measure(times, [&](long number) { seen = number; });
  }
#endif
#ifdef DPM_HAS_SDT
  if (std::strcmp(argv[1], "usdt") == 0) return measure(times, assigned_usdt);
#endif
#ifdef DPM_HAS_LTTNG
  if (std::strcmp(argv[1], "lttng") == 0) return measure(times, assigned_lttng);
#endif
  std::printf("missing\n");
  return 0;
}

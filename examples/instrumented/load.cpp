// S3 test 5.1.2: a loop with an assignment to an Integer. It waits for a line before it begins, so that the monitor can be held meanwhile,
// and says when it is done: it never waits for the monitor.
#include <cstdio>
#include <cstdlib>
#include <dpm/monitor/integer.hpp>

dpm::monitor::Monitor monitor;

int main(int argc, char* argv[]) {
  const int iterations = argc > 1 ? std::atoi(argv[1]) : 700;
  dpm::monitor::Integer<int> i(&monitor, "main", "i", 0);
  std::printf("ready\n");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 1;
  for (int n = 0; n < iterations; ++n) i = n;
  std::printf("done\n");
  std::fflush(stdout);
  if (std::getchar() == EOF) return 1;
  return 0;
}

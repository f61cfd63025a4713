// S3 figure 3.1: an integer that can be seen from outside.
#include <cstdio>
#include <cstdlib>
#include <dpm/monitor/integer.hpp>

dpm::monitor::Monitor monitor;

int main(int argc, char* argv[]) {
  dpm::monitor::Integer<int> i(&monitor, "main", "i", 0);
  i = 1;
  std::printf("Initial value is %d\n", !i);
  const int end = argc > 1 ? std::atoi(argv[1]) : 3;
  for (i = 0; i < end; ++i) std::printf("Loop value is %d\n", !i);
  return 0;
}

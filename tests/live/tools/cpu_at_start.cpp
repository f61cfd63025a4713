// Prints the CPU time in nanoseconds that its process had used when it began, and ends.
#include <cstdio>
#include <ctime>

int main() {
  timespec used = {};
  if (::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used) != 0) return 1;
  std::printf("%ld\n", used.tv_sec * 1'000'000'000 + used.tv_nsec);
}

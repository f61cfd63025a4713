// S3 test 5.1.4: N children sum up a vector each, the parent sums up what they found. It prints the sum of the matrix only;
// parallel.events retrieves the sums of the vectors.
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <dpm/monitor/integer.hpp>
#include <vector>

dpm::monitor::Monitor monitor;

// What the matrix has at this place: rows that differ, and a sum that is easy to check.
static long coefficient(int row, int column) { return row * 1000 + column; }

static long sum_of_row(int row, int columns) {
  long total = 0;
  for (int column = 0; column < columns; ++column) total += coefficient(row, column);
  dpm::monitor::Integer<long> show(&monitor, "Sum", "Show", 0);
  show = total;
  return total;
}

int main(int argc, char* argv[]) {
  const int size = argc > 1 ? std::atoi(argv[1]) : 4;
  std::vector<int> results;
  for (int row = 0; row < size; ++row) {
    int ends[2];
    if (pipe(ends) != 0) return 1;
    if (fork() == 0) {
      const long sum = sum_of_row(row, size);
      return write(ends[1], &sum, sizeof sum) == sizeof sum ? 0 : 1;
    }
    close(ends[1]);
    results.push_back(ends[0]);
  }
  long total = 0, sum = 0;
  for (const int result : results)
    if (read(result, &sum, sizeof sum) == sizeof sum) total += sum;
  while (wait(nullptr) > 0) {
  }
  std::printf("The sum is %ld\n", total);
  return 0;
}

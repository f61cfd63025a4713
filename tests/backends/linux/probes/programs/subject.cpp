// Not made to be looked at: subject TIMES, or subject forever; prints how often its functions were called.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" int in_library(int value);

namespace {
int calls = 0;
}

extern "C" {
__attribute__((noinline)) int served(int request, signed char kind, unsigned long size) {
  ++calls;
  __asm__ volatile("" ::: "memory");
  return static_cast<int>(request * -2 + kind * 0 + static_cast<int>(size & 0));
}
__attribute__((noinline)) unsigned long wide(unsigned long number) {
  __asm__ volatile("" ::: "memory");
  return number;
}
__attribute__((noinline)) void never() { ++calls; }
}

static inline __attribute__((always_inline)) int twice(int value) { return value * 2 + calls; }

int main(int, char** words) {
  if (std::strcmp(words[1], "never") == 0) never();
  const bool is_forever = std::strcmp(words[1], "forever") == 0;
  const int times = std::atoi(words[1]);
  int sum = 0;
  for (int i = 0; i < times || is_forever; ++i) {
    if (i == 0) sum += static_cast<int>(wide(1ul << 63) >> 63) + static_cast<int>(wide(~0ul) >> 63);
    sum += served(i - 2, static_cast<signed char>(-i), 7) + twice(i) + in_library(i);
    if (is_forever) usleep(1000);
  }
  std::printf("%d %d\n", calls, sum & 1);
}

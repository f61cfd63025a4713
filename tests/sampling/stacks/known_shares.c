// known_shares SECONDS: a program that divides its CPU time in known parts, in two processes of two threads each.
//
// In each thread heavy() has three times the CPU time of light(), in turns of 3 and 1 ms, by the thread's own clock. At its end the
// program prints both times of all threads, in ns.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { kMs = 1000000 };

static uint64_t* heavy_ns;
static uint64_t* light_ns;
static double seconds;

static uint64_t cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

// So much work that asking the clock, which is in the kernel, is little beside it.
__attribute__((noinline)) static void spin(void) {
  for (volatile int i = 0; i < 100000; ++i) {
  }
}

__attribute__((noinline)) static void heavy(void) {
  const uint64_t begin = cpu_ns();
  while (cpu_ns() - begin < 3 * kMs) spin();
  __atomic_fetch_add(heavy_ns, cpu_ns() - begin, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void light(void) {
  const uint64_t begin = cpu_ns();
  while (cpu_ns() - begin < kMs) spin();
  __atomic_fetch_add(light_ns, cpu_ns() - begin, __ATOMIC_RELAXED);
}

__attribute__((noinline)) static void* work(void* unused) {
  while ((double)cpu_ns() * 1e-9 < seconds) {
    heavy();
    light();
  }
  return unused;
}

int main(int count, char** words) {
  if (count != 2) return 2;
  seconds = atof(words[1]);
  heavy_ns = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  light_ns = heavy_ns + 1;
  const pid_t child = fork();
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
  pthread_join(thread, NULL);
  if (child == 0) return 0;
  waitpid(child, NULL, 0);
  printf("%llu %llu\n", (unsigned long long)*heavy_ns, (unsigned long long)*light_ns);
  return 0;
}

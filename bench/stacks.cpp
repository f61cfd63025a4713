// links: dpm_sampling_stacks dpm_os
// What call stacks cost (dpm sample --stacks): how much slower a program is by its CPU time, with few frames, with as many as the kernel
// follows, and of processes that live for a millisecond; and what the sampler uses itself.
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cstdio>
#include <functional>
#include <optional>

#include "bench/measure.hpp"
#include "os/fork_bound.hpp"
#include "sampling/stacks/stack_sampler.hpp"

namespace {

using namespace dpm;
using namespace dpm::sampling;

constexpr useconds_t kTakeEvery_us = 123'000;  // as dpm sample does by default

std::uint64_t compute() {
  std::uint64_t sum = 1;
  for (int i = 0; i < 300'000'000; ++i) sum = sum * 6364136223846793005ULL + 1442695040888963407ULL;
  return sum;
}

// Compiled with frame pointers, so that the kernel follows all frames.
__attribute__((noinline, optimize("no-omit-frame-pointer", "no-optimize-sibling-calls"))) std::uint64_t compute_below(
    int depth) {
  volatile int left = depth;
  return left == 0 ? compute() : compute_below(left - 1) + 1;
}

std::uint64_t start_short_processes() {
  for (int i = 0; i < 400; ++i) {
    const pid_t child = fork_bound();
    if (child == 0) ::execl("/bin/true", "true", nullptr), ::_exit(1);
    ::waitpid(child, nullptr, 0);
  }
  return 1;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double own_cpu_s() {
  timespec used = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

struct Took {
  double program_s = 0, sampler_s = 0;
  std::uint64_t stacks = 0;
};

Took took(const std::function<std::uint64_t()>& work, bool is_sampled) {
  int gate[2];
  if (::pipe(gate) != 0) return {};
  const pid_t child = fork_bound();
  if (child == 0) {
    char byte = 0;
    ::_exit(::read(gate[0], &byte, 1) != 1 || work() == 0);
  }
  Took took;
  std::optional<StackSampler> sampler;
  if (is_sampled) {
    auto opened = StackSampler::open();
    if (!opened) {
      std::printf("%s\n", opened.error().what.c_str());
      std::exit(1);
    }
    sampler.emplace(*std::move(opened));
    sampler->follow({static_cast<std::uint32_t>(child)});
  }
  const double before_s = own_cpu_s();
  const bool has_begun = ::write(gate[1], "b", 1) == 1;
  rusage used = {};
  while (has_begun && ::wait4(child, nullptr, WNOHANG, &used) == 0) {
    if (sampler) sampler->take();
    ::usleep(kTakeEvery_us);
  }
  took.sampler_s = own_cpu_s() - before_s;
  took.program_s = seconds_of(used.ru_utime) + seconds_of(used.ru_stime);
  if (sampler) took.stacks = std::move(*sampler).finish().stacks();
  ::close(gate[0]);
  ::close(gate[1]);
  return took;
}

// The medians of pairs, one run after the other.
void print_cost(const char* what, const std::function<std::uint64_t()>& work) {
  std::vector<double> slower, sampler, stacks;
  for (int turn = 0; turn < 31; ++turn) {
    const bool is_bare_first = turn % 2 == 0;
    const Took first = took(work, !is_bare_first), second = took(work, is_bare_first);
    const Took &bare = is_bare_first ? first : second, &sampled = is_bare_first ? second : first;
    slower.push_back(sampled.program_s / bare.program_s - 1);
    sampler.push_back(sampled.sampler_s / sampled.program_s);
    stacks.push_back(static_cast<double>(sampled.stacks) / sampled.program_s);
  }
  std::printf(
      "%s: %+.2f %% of CPU time with call stacks; the sampler used %.2f %% of the program's; %.0f stacks a second\n",
      what, median(slower) * 100, median(sampler) * 100, median(stacks));
}

}  // namespace

int main() {
  print_cost("two frames", compute);
  print_cost("120 frames", [] { return compute_below(120); });
  print_cost("400 processes of a millisecond", start_short_processes);
}

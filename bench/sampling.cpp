// links: dpm_sampling_iterator dpm_sampling_proc dpm_sampling_counts dpm_os
// What a sample costs: of 50 threads that wait, of 50 that run now and then, with files that stay open and without; and
// how much slower a program is while it is sampled.
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <thread>

#include "bench/measure.hpp"
#include "os/fork_bound.hpp"
#include "sampling/iterator/task_iterator.hpp"
#include "sampling/proc/proc_sampler.hpp"
#include "sampling/proc/sample_clock.hpp"

namespace {

using namespace dpm;
using namespace dpm::sampling;

constexpr int kThreads = 50;
constexpr std::uint64_t kInterval_ns = 123'000'000;
constexpr double kSamplesPerSecond = 1e9 / static_cast<double>(kInterval_ns);

CountArray empty_counts() { return CountArray({.source = std::string(kProcSource), .interval_ns = kInterval_ns}); }

// A process whose threads sleep, and wake up each `period`.
pid_t start_threads(std::chrono::milliseconds period) {
  const pid_t child = fork_bound();
  if (child != 0) return child;
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i)
    threads.emplace_back([=] {
      for (;;) std::this_thread::sleep_for(period);
    });
  for (;;) ::pause();
}

void stop(pid_t child) {
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
}

double cpu_seconds() {
  timespec used = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

void print_cost(const char* what, std::chrono::milliseconds period, bool with_iterator) {
  constexpr int kSamples = 40;
  const pid_t child = start_threads(period);
  ::usleep(200'000);
  std::unique_ptr<TaskLooker> looker;
  if (with_iterator) {
    auto opened = open_task_iterator();
    if (!opened) {
      std::printf("without the iterator: %s\n", opened.error().what.c_str());
      return stop(child);
    }
    looker = *std::move(opened);
  }
  ProcSampler sampler({.kind = Selection::Kind::processes, .pids = {static_cast<std::uint32_t>(child)}},
                      std::move(looker));
  CountArray counts = empty_counts();
  sampler.take(counts);
  const double before_s = cpu_seconds();
  for (int i = 0; i < kSamples; ++i) {
    ::usleep(kInterval_ns / 1000);
    sampler.take(counts);
  }
  const double sample_s = (cpu_seconds() - before_s) / kSamples;
  std::printf("%d threads that %s, from %s: %.2f %% of a CPU at %.1f samples a second (%.1f us a thread)\n", kThreads,
              what, with_iterator ? "the iterator" : "/proc", sample_s * kSamplesPerSecond * 100, kSamplesPerSecond,
              sample_s * 1e6 / kThreads);
  stop(child);
}

void print_open_files() {
  const std::string path = fmt::format("/proc/{}/stat", ::getpid());
  constexpr int kReads = 5000;
  const auto reads = [&](bool stays_open) {
    return [=, file = std::make_shared<ProcFile>(path, stays_open)] {
      std::string buffer;
      std::string_view text;
      for (int i = 0; i < kReads; ++i) static_cast<void>(file->read(buffer, text));
    };
  };
  print_ratio("files of /proc", Way{std::string("files that stay open"), reads(true)},
              Way{std::string("files opened for each read"), reads(false)}, kReads, "read");
}

// Computes, and gives its CPU away now and then.
std::uint64_t work() {
  std::uint64_t sum = 1;
  for (int i = 0; i < 300; ++i) {
    for (int j = 0; j < 200'000; ++j) sum = sum * 6364136223846793005ULL + 1442695040888963407ULL;
    ::usleep(100);
  }
  return sum;
}

double child_seconds(bool is_sampled) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork_bound();
  if (child == 0) ::_exit(work() == 0);
  ProcSampler sampler({.kind = Selection::Kind::processes, .pids = {static_cast<std::uint32_t>(child)}});
  CountArray counts = empty_counts();
  auto clock = SampleClock::start(kInterval_ns);
  while (::waitpid(child, nullptr, WNOHANG) == 0) {
    if (is_sampled && clock->take(counts.account())) sampler.take(counts);
    ::usleep(1000);
  }
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void print_slowdown() {
  std::vector<double> bare, sampled;
  for (int turn = 0; turn < 9; ++turn) {
    bare.push_back(child_seconds(false));
    sampled.push_back(child_seconds(true));
  }
  std::printf("a program that is sampled has %.3f of the speed of one that is not (%.1f ms against %.1f ms)\n",
              median(bare) / median(sampled), median(sampled) * 1e3, median(bare) * 1e3);
}

}  // namespace

int main() {
  for (const bool with_iterator : {false, true}) {
    print_cost("wait", std::chrono::hours(1), with_iterator);
    print_cost("wake up each 10 ms", std::chrono::milliseconds(10), with_iterator);
  }
  print_open_files();
  print_slowdown();
}

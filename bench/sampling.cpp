// links: dpm_sampling_iterator dpm_sampling_proc dpm_sampling_counts dpm_os
// What a sample costs: of 50 threads that wait, of 50 that run now and then, with files that stay open and without; how
// much slower a program is while it is sampled; and whether the sampler's memory stays flat over the samples of an hour.
#include <fmt/format.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "bench/measure.hpp"
#include "os/fork_bound.hpp"
#include "os/read_file.hpp"
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

// Other programs lengthen the elapsed time, not the CPU time.
struct Took {
  double elapsed_s = 0, cpu_s = 0;
};

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

Took child_took(bool is_sampled) {
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork_bound();
  if (child == 0) ::_exit(work() == 0);
  ProcSampler sampler({.kind = Selection::Kind::processes, .pids = {static_cast<std::uint32_t>(child)}});
  CountArray counts = empty_counts();
  auto clock = SampleClock::start(kInterval_ns);
  rusage used = {};
  while (::wait4(child, nullptr, WNOHANG, &used) == 0) {
    if (is_sampled && clock->take(counts.account())) sampler.take(counts);
    ::usleep(1000);
  }
  return {std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(),
          seconds_of(used.ru_utime) + seconds_of(used.ru_stime)};
}

// The medians of the ratios of pairs, one run after the other.
void print_slowdown() {
  std::vector<double> elapsed, cpu;
  for (int turn = 0; turn < 31; ++turn) {
    const bool is_bare_first = turn % 2 == 0;
    const Took first = child_took(!is_bare_first), second = child_took(is_bare_first);
    const Took &bare = is_bare_first ? first : second, &sampled = is_bare_first ? second : first;
    elapsed.push_back(bare.elapsed_s / sampled.elapsed_s);
    cpu.push_back(bare.cpu_s / sampled.cpu_s);
  }
  std::printf("a program that is sampled has %.3f of the speed of one that is not by elapsed time, %.3f by CPU time\n",
              median(elapsed), median(cpu));
}

// Forks children that end at once: the sampler meets new processes all the time.
pid_t start_short_processes() {
  const pid_t parent = fork_bound();
  if (parent != 0) return parent;
  for (;;) {
    const pid_t child = fork_bound();
    if (child == 0) ::_exit(0);
    ::waitpid(child, nullptr, 0);
    ::usleep(300);
  }
}

double resident_MB() {
  const std::string text = read_file("/proc/self/statm");
  const auto pages = std::strtoul(text.c_str() + text.find(' '), nullptr, 10);
  return static_cast<double>(pages) * static_cast<double>(::sysconf(_SC_PAGESIZE)) / 1e6;
}

// As many samples as an hour has, one after the other.
void print_memory() {
  constexpr int kSamplesOfHour = static_cast<int>(3600 * kSamplesPerSecond);
  const pid_t threads = start_threads(std::chrono::milliseconds(10)), processes = start_short_processes();
  ProcSampler sampler({.kind = Selection::Kind::tree,
                       .pids = {static_cast<std::uint32_t>(threads), static_cast<std::uint32_t>(processes)}});
  CountArray counts = empty_counts();
  double first_MB = 0;
  for (int i = 0; i < kSamplesOfHour; ++i) {
    sampler.take(counts);
    if (i + 1 == kSamplesOfHour / 10) first_MB = resident_MB();
  }
  std::printf("memory of the sampler after a tenth of an hour's %d samples: %.2f MB; after all: %.2f MB\n",
              kSamplesOfHour, first_MB, resident_MB());
  stop(processes);
  stop(threads);
}

}  // namespace

int main() {
  for (const bool with_iterator : {false, true}) {
    print_cost("wait", std::chrono::hours(1), with_iterator);
    print_cost("wake up each 10 ms", std::chrono::milliseconds(10), with_iterator);
  }
  print_open_files();
  print_memory();
  print_slowdown();
}

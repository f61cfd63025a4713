// Loads whose truth is known: shares, jobs of a terminal, threads that come and go, a quota.
#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <optional>
#include <thread>

#include "model/random.hpp"
#include "model/share.hpp"
#include "os/fork_bound.hpp"
#include "sampling/proc/proc_sampler.hpp"
#include "sampling/proc/sample_clock.hpp"
#include "tests/sampling/forced/forced_process.hpp"
#include "tests/support/catch.hpp"

namespace dpm::sampling {
namespace {

CountArray empty_counts() { return CountArray({.source = std::string(kProcSource)}); }

// How long a process spent in each of two waits, by its own clock.
struct Spent {
  volatile std::uint64_t in_poll_ns, in_sleep_ns;
};

[[noreturn]] void alternate(Spent& spent) {
  Random random(11);
  for (;;) {
    const std::uint64_t before_ns = monotonic_ns();
    pollfd waited = {STDIN_FILENO, POLLPRI, 0};
    ::poll(&waited, 1, static_cast<int>(1 + random.below(6)));
    const std::uint64_t between_ns = monotonic_ns();
    spent.in_poll_ns = spent.in_poll_ns + (between_ns - before_ns);
    ::usleep(static_cast<useconds_t>(1000 + random.below(12'000)));
    spent.in_sleep_ns = spent.in_sleep_ns + (monotonic_ns() - between_ns);
  }
}

// A process that alternates between the two waits, and what it measured itself.
class Alternating {
 public:
  Alternating()
      : spent_(static_cast<Spent*>(
            ::mmap(nullptr, sizeof(Spent), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0))) {
    REQUIRE(::pipe(ends_.data()) == 0);
    process_.emplace([this] {
      ::dup2(ends_[0], STDIN_FILENO);
      alternate(*spent_);
    });
  }
  Alternating(const Alternating&) = delete;
  ~Alternating() {
    process_.reset();
    ::munmap(spent_, sizeof(Spent));
    for (const int fd : ends_) ::close(fd);
  }

  std::uint32_t pid() const { return process_->pid(); }
  std::uint64_t in_poll_ns() const { return spent_->in_poll_ns; }
  std::uint64_t in_sleep_ns() const { return spent_->in_sleep_ns; }

 private:
  Spent* spent_;
  std::array<int, 2> ends_;
  std::optional<ForcedProcess> process_;
};

struct Run {
  Share sampled;  // of the time in poll
  double truth;
};

Run sampled_run(const Alternating& load, int samples, std::uint64_t interval_ns) {
  ProcSampler sampler({.kind = Selection::Kind::processes, .pids = {load.pid()}});
  CountArray counts = empty_counts();
  auto clock = SampleClock::start(interval_ns);
  REQUIRE(clock);
  const std::uint64_t poll_before_ns = load.in_poll_ns(), sleep_before_ns = load.in_sleep_ns();
  for (int i = 0; i < samples;) {
    pollfd waited = {clock->descriptor(), POLLIN, 0};
    ::poll(&waited, 1, -1);
    if (!clock->take(counts.account())) continue;
    sampler.take(counts);
    ++i;
  }
  const auto poll_ns = static_cast<double>(load.in_poll_ns() - poll_before_ns);
  const auto sleep_ns = static_cast<double>(load.in_sleep_ns() - sleep_before_ns);
  const LevelCounts total = counts.total();
  INFO(found_text(total));
  const std::uint64_t in_poll = total.states[static_cast<std::size_t>(State::select)];
  const Share share = share_of(in_poll, in_poll + total.states[static_cast<std::size_t>(State::sleep)]);
  CHECK(share.samples >= static_cast<std::uint64_t>(samples) * 3 / 4);
  return {share, poll_ns / (poll_ns + sleep_ns)};
}

TEST_CASE("known load: the share of a state is within its interval", "[sampling]") {
  const Alternating load;
  const Run run = sampled_run(load, 200, 23'000'000);
  INFO("truth " << run.truth);
  // The 95 % interval twice as wide: outside once in 10,000 runs.
  CHECK(std::abs(run.sampled.value - run.truth) < run.sampled.high - run.sampled.low);
}

TEST_CASE("known load: the share of a state is within its interval in 95 of 100 runs", "[sampling]") {
  constexpr int kRuns = 30;
  const Alternating load;
  int inside = 0;
  for (int i = 0; i < kRuns; ++i) {
    const Run run = sampled_run(load, 40, 17'000'000);
    inside += run.sampled.low <= run.truth && run.truth <= run.sampled.high ? 1 : 0;
  }
  std::cout << "the truth was in the interval in " << inside << " of " << kRuns << " runs" << std::endl;
  // Where each run is inside with 95 %, fewer are once in 1,600 times.
  CHECK(inside >= 24);
}

// A shell that waits for its job in the foreground, which reads the terminal; another job sleeps in the background. Jobs end
// with it: one that lives on keeps the output of the test open, and what reads that waits.
[[noreturn]] void shell_with_jobs(int terminal) {
  ::setsid();
  ::ioctl(terminal, TIOCSCTTY, 0);
  ::signal(SIGTTOU, SIG_IGN);
  if (fork_bound() == 0) {
    ::setpgid(0, 0);
    ::sleep(100);
    ::_exit(0);
  }
  const pid_t job = fork_bound();
  if (job == 0) {
    ::setpgid(0, 0);
    ::tcsetpgrp(terminal, ::getpid());
    char byte;
    static_cast<void>(::read(terminal, &byte, 1));
    ::_exit(0);
  }
  ::waitpid(job, nullptr, 0);
  ::_exit(0);
}

TEST_CASE("known load: the foreground of a terminal is its job, the background the rest", "[sampling]") {
  int master = -1, terminal = -1;
  REQUIRE(::openpty(&master, &terminal, nullptr, nullptr, nullptr) == 0);
  ForcedProcess shell([&] { shell_with_jobs(terminal); });
  Stateword background(State::child);
  background |= Stateword(State::sleep);
  bool is_found = false;
  for (int i = 0; i < 500 && !is_found; ++i) {
    ::usleep(10'000);
    ProcSampler sampler({.kind = Selection::Kind::session, .number = shell.pid()});
    CountArray counts = empty_counts();
    sampler.take(counts);
    const auto words = counts.total().words;
    is_found =
        words[static_cast<std::size_t>(Scope::foreground)] == WordCounts{{Stateword(State::terminal_input), 1}} &&
        words[static_cast<std::size_t>(Scope::background)] == WordCounts{{background, 1}};
  }
  CHECK(is_found);
  ::close(master);
  ::close(terminal);
}

TEST_CASE("known load: threads that begin and end are found, and processes that a process starts", "[sampling]") {
  ForcedProcess process([] {
    for (;;) {
      std::vector<std::thread> threads;
      for (int i = 0; i < 3; ++i) threads.emplace_back([] { ::usleep(100'000); });
      const pid_t child = fork_bound();
      if (child == 0) {
        ::usleep(100'000);
        ::_exit(0);
      }
      for (auto& thread : threads) thread.join();
      ::waitpid(child, nullptr, 0);
      ::usleep(100'000);
    }
  });
  ProcSampler sampler({.kind = Selection::Kind::tree, .pids = {process.pid()}});
  CountArray counts = empty_counts();
  bool was_alone = false, was_full = false;
  for (int i = 0; i < 1000 && !(was_alone && was_full); ++i) {
    sampler.take(counts);
    was_alone = was_alone || (sampler.threads() == 1 && sampler.processes() == 1);
    was_full = was_full || (sampler.threads() == 5 && sampler.processes() == 2);
    ::usleep(10'000);
  }
  CHECK(was_alone);
  CHECK(was_full);
}

TEST_CASE("known load: a selection is over when its processes have ended", "[sampling]") {
  ProcSampler sampler({.kind = Selection::Kind::tree, .pids = {0x7fffffff}});
  CountArray counts = empty_counts();
  CHECK_FALSE(sampler.is_over());
  sampler.take(counts);
  CHECK(sampler.is_over());
}

// A cgroup that may use a fifth of a CPU; empty if it cannot be made here.
std::string make_quota() {
  const std::string name = "dpm_quota_" + std::to_string(::getpid());
  for (const std::string mount : {"/sys/fs/cgroup/cpu/", "/sys/fs/cgroup/"}) {
    std::error_code error;
    if (!std::filesystem::create_directory(mount + name, error)) continue;
    for (const auto& [file, text] : {std::pair{"/cpu.max", "20000 100000"}, {"/cpu.cfs_quota_us", "20000"}}) {
      if (!std::filesystem::exists(mount + name + file, error)) continue;
      std::ofstream(mount + name + file) << text;
      return mount + name;
    }
    ::rmdir((mount + name).c_str());
  }
  return "";
}

// How long the kernel has held back the processes of the cgroup, by its own count.
std::uint64_t held_back_ns(const std::string& folder) {
  std::ifstream lines(folder + "/cpu.stat");
  std::string name;
  for (std::uint64_t value = 0; lines >> name >> value;) {
    if (name == "throttled_time") return value;
    if (name == "throttled_usec") return value * 1000;
  }
  return 0;
}

TEST_CASE("known load: a process that has used up its quota is throttled for as long as the kernel says",
          "[sampling]") {
  const std::string folder = make_quota();
  if (folder.empty()) {
    std::cout << "SKIPPED: no cgroup with a CPU quota can be made here" << std::endl;
    return;
  }
  {
    ForcedProcess process([&] {
      std::ofstream(folder + "/cgroup.procs") << ::getpid() << std::flush;
      for (volatile bool on = true; on;) {
      }
    });
    ::usleep(300'000);
    ProcSampler sampler({.kind = Selection::Kind::processes, .pids = {process.pid()}});
    CountArray counts = empty_counts();
    const std::uint64_t held_before_ns = held_back_ns(folder), began_ns = monotonic_ns();
    for (int i = 0; i < 60; ++i) {
      sampler.take(counts);
      ::usleep(43'000);
    }
    const double truth =
        static_cast<double>(held_back_ns(folder) - held_before_ns) / static_cast<double>(monotonic_ns() - began_ns);
    const LevelCounts total = counts.total();
    INFO(found_text(total) << ", held back " << truth);
    CHECK(truth > .1);
    const Share share = share_of(total.states[static_cast<std::size_t>(State::throttled)], total.threads());
    // The 95 % interval twice as wide, as above.
    CHECK(std::abs(share.value - truth) < share.high - share.low);
    CHECK(share_in(total, {State::cpu_run}) < .35);
  }
  ::rmdir(folder.c_str());
}

}  // namespace
}  // namespace dpm::sampling

#include "tests/sampling/forced/forced_process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/fork_bound.hpp"
#include "sampling/proc/proc_sampler.hpp"

namespace dpm::sampling {
namespace {

constexpr useconds_t kBetween_us = 2000;
constexpr int kTries = 1000;

CountArray empty_counts() { return CountArray({std::string(kProcSource), 1, 1, "here", "", ""}); }

bool are_all_in(const LevelCounts& counts, const std::vector<State>& states) {
  return counts.threads() > 0 && share_in(counts, states) == 1;
}

}  // namespace

ForcedProcess::ForcedProcess(const std::function<void()>& enter) : pid_(fork_bound()) {
  if (pid_ != 0) return;
  enter();
  ::_exit(1);
}

ForcedProcess::~ForcedProcess() {
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

LevelCounts sampled(const std::vector<std::uint32_t>& pids, const std::vector<State>& expected, int samples) {
  ProcSampler sampler({.kind = Selection::Kind::processes, .pids = pids});
  for (int i = 0; i < kTries; ++i) {
    CountArray one = empty_counts();
    sampler.take(one);
    if (are_all_in(one.total(), expected)) break;
    ::usleep(kBetween_us);
  }
  CountArray counts = empty_counts();
  for (int i = 0; i < samples; ++i) {
    sampler.take(counts);
    ::usleep(kBetween_us);
  }
  return counts.total();
}

double share_in(const LevelCounts& counts, const std::vector<State>& states) {
  std::uint64_t hits = 0;
  for (const State state : states) hits += counts.states[static_cast<std::size_t>(state)];
  return counts.threads() == 0 ? 0 : static_cast<double>(hits) / static_cast<double>(counts.threads());
}

std::string found_text(const LevelCounts& counts) {
  std::string text = fmt::format("unrecognised {}", counts.unrecognised);
  for (const auto& state : all_states())
    if (const auto count = counts.states[static_cast<std::size_t>(state.state)]; count > 0)
      text += fmt::format(", {} {}", state.name, count);
  return text;
}

}  // namespace dpm::sampling

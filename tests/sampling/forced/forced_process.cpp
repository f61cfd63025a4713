#include "tests/sampling/forced/forced_process.hpp"

#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <iostream>

#include "os/fork_bound.hpp"
#include "sampling/iterator/task_iterator.hpp"
#include "sampling/proc/proc_sampler.hpp"

namespace dpm::sampling {
namespace {

constexpr useconds_t kBetween_us = 2000;
constexpr int kTries = 1000;

CountArray empty_counts() { return CountArray({std::string(kProcSource), 1, 1, "here", "", ""}); }

// All samplers of a test share one program in the kernel.
class BorrowedLooker : public TaskLooker {
 public:
  explicit BorrowedLooker(TaskLooker& lender) : lender_(lender) {}
  bool look(TaskTable& table) override { return lender_.look(table); }
  void want(std::uint32_t process, bool is_wanted) override { lender_.want(process, is_wanted); }

 private:
  TaskLooker& lender_;
};

TaskLooker* shared_iterator() {
  static const auto opened = open_task_iterator();
  static const bool is_told = [] {
    if (!opened) std::cout << "SKIPPED: " << opened.error().what << std::endl;
    return true;
  }();
  return is_told && opened ? opened->get() : nullptr;
}

bool are_all_in(const LevelCounts& counts, const std::vector<State>& states) {
  return counts.threads() > 0 && share_in(counts, states) == 1;
}

void await(ProcSampler& sampler, const std::vector<State>& expected) {
  for (int i = 0; i < kTries; ++i) {
    CountArray one = empty_counts();
    sampler.take(one);
    if (are_all_in(one.total(), expected)) return;
    ::usleep(kBetween_us);
  }
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

std::unique_ptr<TaskLooker> iterator_if_possible() {
  TaskLooker* const looker = shared_iterator();
  return looker == nullptr ? nullptr : std::make_unique<BorrowedLooker>(*looker);
}

void ForcedStates::add(State state, const std::function<void()>& enter) {
  all_.push_back({state, std::make_unique<ForcedProcess>(enter)});
}

std::vector<ForcedStates::Found> ForcedStates::sampled(int samples) {
  struct Watched {
    State expected;
    std::string_view source;
    ProcSampler sampler;
    CountArray counts;
  };
  std::vector<Watched> looks;
  for (const Forced& forced : all_) {
    const Selection selection{.kind = Selection::Kind::processes, .pids = {forced.process->pid()}};
    looks.push_back({forced.state, kProcSource, ProcSampler(selection), empty_counts()});
    await(looks.back().sampler, {forced.state});
    if (auto looker = iterator_if_possible())
      looks.push_back({forced.state, kIteratorSource, ProcSampler(selection, std::move(looker)), empty_counts()});
  }
  for (int i = 0; i < samples; ++i) {
    for (Watched& look : looks) look.sampler.take(look.counts);
    ::usleep(kBetween_us);
  }
  std::vector<Found> found;
  for (const Watched& look : looks) found.push_back({look.expected, look.source, look.counts.total()});
  return found;
}

LevelCounts sampled(const std::vector<std::uint32_t>& pids, const std::vector<State>& expected, int samples,
                    std::unique_ptr<TaskLooker> looker) {
  ProcSampler sampler({.kind = Selection::Kind::processes, .pids = pids}, std::move(looker));
  await(sampler, expected);
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

double share_of_waits_in(const LevelCounts& counts, const std::vector<State>& states) {
  const double runs = share_in(counts, {State::cpu_run, State::cpu_queue});
  return runs == 1 ? 0 : share_in(counts, states) / (1 - runs);
}

std::string found_text(const LevelCounts& counts) {
  std::string text = fmt::format("unrecognised {}", counts.unrecognised);
  for (const auto& state : all_states())
    if (const auto count = counts.states[static_cast<std::size_t>(state.state)]; count > 0)
      text += fmt::format(", {} {}", state.name, count);
  return text;
}

}  // namespace dpm::sampling

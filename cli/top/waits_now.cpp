#include "cli/top/waits_now.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "os/machine.hpp"
#include "sampling/states/state_rules.hpp"

namespace dpm::cli {

using sampling::State;

namespace {

constexpr std::size_t kLookedAtMax = 200;  // processes; a look takes some tens of microseconds for each thread

// Of the time since the last look it waited for the CPU longer than it ran.
State run_or_queue(const sampling::SampledThread& thread) {
  const auto &before = thread.counters_before, &now = thread.counters();
  return now.waited_ns - before.waited_ns > now.ran_ns - before.ran_ns ? State::cpu_queue : State::cpu_run;
}

}  // namespace

std::string wait_word(State state) {
  switch (state) {
    case State::cpu_run:
      return "runs";
    case State::cpu_queue:
    case State::throttled:
      return "CPU";
    case State::disk_io:
    case State::busy_block:
    case State::page_wait:
    case State::swap:
      return "disk";
    case State::sleep:
      return "timer";
    case State::futex:
    case State::semaphore:
    case State::inode_lock:
    case State::exclusive_lock:
    case State::shared_lock:
      return "lock";
    case State::child:
      return "child";
    case State::select:
      return "events";
    case State::terminal_input:
    case State::terminal_output:
      return "terminal";
    case State::unix_read:
    case State::inet_read:
    case State::pipe_read:
    case State::other_read:
    case State::supervisor:
      return "message";
    case State::unix_write:
    case State::inet_write:
    case State::pipe_write:
    case State::other_write:
      return "to send";
    case State::ending:
      return "ending";
    case State::stopped:
      return "stopped";
    case State::memory_reclaim:
    case State::address_space:
      return "memory";
    default:
      return std::string(sampling::name_of(sampling::info_of(state).resource)).substr(0, 9);
  }
}

bool is_for_message(State state) {
  constexpr std::array kFor = {State::unix_read, State::inet_read, State::pipe_read, State::other_read,
                               State::select,    State::event,     State::io_uring,  State::supervisor};
  return std::find(kFor.begin(), kFor.end(), state) != kFor.end();
}

std::optional<State> state_of_row(std::span<const State> states) {
  for (const State first : {State::cpu_run, State::cpu_queue, State::throttled, State::disk_io, State::page_wait})
    if (std::find(states.begin(), states.end(), first) != states.end()) return first;
  return states.empty() ? std::nullopt : std::optional(states.front());
}

WaitsNow::WaitsNow() : host_(host_identity()) {}

std::optional<State> WaitsNow::state_of(const ProcessInfo& process, bool thread) {
  constexpr std::uint64_t kTickNs = 10'000'000;
  const auto [known, is_new] = processes_.try_emplace(process.pid, process.pid, 0, "");
  const auto found = known->second.look(descriptors_, buffer_, false);
  std::vector<State> states;
  for (sampling::SampledThread* one : found.threads) {
    if (thread && one->thread() != process.tid) continue;
    // Another process may have its number by now.
    if (one->thread() == process.tid && process.began_ns != 0 && one->stat().start_ticks != process.began_ns / kTickNs)
      return std::nullopt;
    auto state = sampling::state_of(one->evidence());
    if (state == State::cpu_run) state = run_or_queue(*one);
    one->counters_before = one->counters();
    if (state) states.push_back(*state);
  }
  if (found.gone || found.refused) processes_.erase(known);
  return state_of_row(states);
}

void WaitsNow::look(TopNumbers& numbers, const TraceInfo& info, bool threads) {
  if (numbers.is_over || host_.empty()) return;
  std::size_t looked_at = 0;
  for (ProcessRates& row : numbers.processes) {
    if (row.process.value >= info.processes.size() || row.doing == Doing::ended) continue;
    const ProcessInfo& process = info[row.process];
    if (process.pid == 0 || process.machine.value >= info.machines.size() || info[process.machine].host != host_)
      continue;
    if (++looked_at > kLookedAtMax) return;
    const auto state = state_of(process, threads);
    if (!state || (row.doing == Doing::waits_for_message && is_for_message(*state))) continue;
    row.waits_for = wait_word(*state);
  }
}

}  // namespace dpm::cli

#include "answers/findings/recorded_samples.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <vector>

#include "sampling/log/state_log_file.hpp"
#include "trace/files.hpp"

namespace dpm::cli {
namespace {

using sampling::State;

constexpr std::size_t kBytesMax = std::size_t{1} << 31;

SampledState kind_of(State state) {
  switch (state) {
    case State::cpu_run:
      return SampledState::runs;
    case State::cpu_queue:
    case State::throttled:
      return SampledState::queues;
    case State::page_wait:
    case State::disk_io:
    case State::swap:
    case State::busy_block:
      return SampledState::disk;
    case State::futex:
    case State::semaphore:
    case State::inode_lock:
    case State::exclusive_lock:
    case State::shared_lock:
    case State::address_space:
      return SampledState::lock;
    case State::sleep:
      return SampledState::timer;
    case State::signal:
      return SampledState::signal;
    case State::created:
    case State::ending:
    case State::terminal_output:
    case State::terminal_input:
    case State::stopped:
    case State::memory_reclaim:
    case State::kernel:
      return SampledState::other;
    default:
      return SampledState::waits;
  }
}

// By thread of the log: the process of the trace, or none.
std::vector<std::optional<ProcessId>> processes_of(const sampling::StateLog& log, const TraceInfo& info,
                                                   MachineId machine) {
  const std::uint64_t tick_ns = 1'000'000'000 / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  std::multimap<std::uint32_t, ProcessId> by_thread;
  for (std::uint32_t p = 0; p < info.processes.size(); ++p)
    if (info.processes[p].tid != 0 && info.processes[p].machine == machine)
      by_thread.emplace(info.processes[p].tid, ProcessId{p});
  std::vector<std::optional<ProcessId>> found;
  for (const auto& thread : log.threads) {
    found.emplace_back();
    const auto [first, last] = by_thread.equal_range(thread.thread);
    for (auto one = first; one != last; ++one) {
      const std::uint64_t began_ns = info[one->second].began_ns;
      if (began_ns == 0 || began_ns / tick_ns == thread.start_ticks) found.back() = one->second;
    }
  }
  return found;
}

std::optional<MachineId> machine_of(const sampling::StateLog& log, const TraceInfo& info) {
  for (std::uint16_t m = 0; m < info.machines.size(); ++m)
    if (info.machines[m].name == log.machine) return MachineId{m};
  return std::nullopt;
}

}  // namespace

std::string samples_beside(const std::string& trace_directory) {
  std::filesystem::path path(trace_directory);
  if (!path.has_filename()) path = path.parent_path();
  return (path.parent_path() / "samples").string();
}

Result<SampledStates> read_recorded_samples(const std::string& path, const TraceInfo& info, const CommonTime& time) {
  const auto text = read_text_file(path, kBytesMax);
  if (!text) return text.error();
  const auto log = sampling::read_state_log(*text, path);
  if (!log) return log.error();
  const auto machine = machine_of(*log, info);
  if (!machine)
    return Error{fmt::format("{}: samples of machine '{}', which the trace does not have", path, log->machine)};
  const auto processes = processes_of(*log, info, *machine);
  const auto common_ns = [&](std::int64_t local_ns) { return time.at(*machine, {local_ns}).ns; };
  SampledStates states(static_cast<std::int64_t>(std::min<std::uint64_t>(log->interval_ns, INT64_MAX)));
  bool has_any = false;
  for (const auto& sample : log->samples) {
    states.begin_sample(common_ns(sample.at_ns));
    for (const auto& look : sample.looks) {
      const auto process = processes[look.thread];
      if (!process) continue;
      has_any = true;
      const SampledState recognised = look.state ? kind_of(*look.state) : SampledState::other;
      states.set(*process, look.is_gone ? SampledState::none : recognised, common_ns(look.seen_ns));
    }
  }
  if (!has_any) return Error{path + ": no process of the trace is in these samples"};
  return states;
}

}  // namespace dpm::cli

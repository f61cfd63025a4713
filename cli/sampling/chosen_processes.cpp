#include "cli/sampling/chosen_processes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/follow/followed_trace.hpp"
#include "os/read_file.hpp"
#include "sampling/states/proc_text.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;

// The number is that of the process which the trace names, and not of a later one.
bool runs_still(const ProcessInfo& process) {
  const auto stat = sampling::read_stat(read_file(fmt::format("/proc/{}/stat", process.pid)));
  if (!stat || stat->letter == 'Z') return false;
  const std::uint64_t tick_ns = kNsPerSecond / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return process.began_ns == 0 || process.began_ns / tick_ns == stat->start_ticks;
}

Result<std::vector<std::uint32_t>> running_processes(const std::string& path) {
  auto trace = FollowedTrace::open(path);
  if (!trace) return trace.error();
  std::vector<std::uint32_t> pids;
  for (const auto& process : trace->info().processes)
    if (process.pid != 0 && process.pid == process.tid && runs_still(process)) pids.push_back(process.pid);
  return pids;
}

Result<sampling::Selection> processes_of_trace(const std::string& path) {
  auto running = running_processes(path);
  if (!running) return running.error();
  std::vector<std::uint32_t> pids = *std::move(running);
  if (pids.empty()) return Error{fmt::format("--of trace {}: no process of this trace runs on this machine", path)};
  return sampling::select_tree(std::move(pids), "trace " + path);
}

}  // namespace

bool trace_runs_here(const std::string& path) {
  const auto running = running_processes(path);
  return !running || !running->empty();
}

Result<sampling::Selection> chosen_processes(const std::vector<std::string>& words) {
  if (words.empty()) return sampling::read_selection({"session"});
  if (words.size() == 2 && words.front() == "trace") return processes_of_trace(words[1]);
  return sampling::read_selection(words);
}

}  // namespace dpm::cli

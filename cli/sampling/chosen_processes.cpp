#include "cli/sampling/chosen_processes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/follow/followed_trace.hpp"
#include "os/read_file.hpp"
#include "sampling/states/proc_text.hpp"

namespace dpm::cli {
namespace {

constexpr std::uint64_t kNsPerSecond = 1'000'000'000;
constexpr std::string_view kEnded = "ZXx";  // waits to be buried, or is being buried

// The number is that of the process which the trace names, and not of a later one.
bool runs_still(const ProcessInfo& process) {
  const auto stat = sampling::read_stat(read_file(fmt::format("/proc/{}/stat", process.pid)));
  if (!stat || kEnded.find(stat->letter) != std::string_view::npos) return false;
  const std::uint64_t tick_ns = kNsPerSecond / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return process.began_ns == 0 || process.began_ns / tick_ns == stat->start_ticks;
}

}  // namespace

Result<std::optional<sampling::Selection>> running_of_trace(const std::string& path) {
  auto trace = FollowedTrace::open(path);
  if (!trace) return trace.error();
  std::vector<std::uint32_t> pids;
  for (const auto& process : trace->info().processes)
    if (process.pid != 0 && process.pid == process.tid && runs_still(process)) pids.push_back(process.pid);
  if (pids.empty()) return std::optional<sampling::Selection>();
  auto selection = sampling::select_tree(std::move(pids), "trace " + path);
  if (!selection) return selection.error();
  return std::optional(*std::move(selection));
}

Result<sampling::Selection> chosen_processes(const std::vector<std::string>& words) {
  if (words.empty()) return sampling::read_selection({"session"});
  return sampling::read_selection(words);
}

}  // namespace dpm::cli

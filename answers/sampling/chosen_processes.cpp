#include "answers/sampling/chosen_processes.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "answers/follow/followed_trace.hpp"
#include "os/read_file.hpp"
#include "sampling/proc/sample_clock.hpp"
#include "sampling/states/proc_text.hpp"

namespace dpm::cli {
namespace {

constexpr std::string_view kEnded = "ZXx";  // waits to be buried, or is being buried

// The number is that of the process which the trace names, and not of a later one.
bool runs_still(const ProcessInfo& process) {
  const auto stat = sampling::read_stat(read_file(fmt::format("/proc/{}/stat", process.pid)));
  if (!stat || kEnded.find(stat->letter) != std::string_view::npos) return false;
  const std::uint64_t tick_ns = sampling::kNsPerSecond / static_cast<std::uint64_t>(::sysconf(_SC_CLK_TCK));
  return process.began_ns == 0 || process.began_ns / tick_ns == stat->start_ticks;
}

bool is_of_kernel(std::uint32_t pid) {
  const auto stat = sampling::read_stat(read_file(fmt::format("/proc/{}/stat", pid)));
  return stat && stat->in_kernel;
}

}  // namespace

std::vector<std::string> choice_words(const std::vector<std::string>& typed) {
  if (typed.size() != 1) return typed;
  const auto space = typed.front().find(' ');
  if (space == std::string::npos) return typed;
  return {typed.front().substr(0, space), typed.front().substr(space + 1)};
}

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

std::string why_nothing_was_found(const sampling::CountArray& counts, const sampling::Selection& selection) {
  using Kind = sampling::Selection::Kind;
  const auto total = counts.total();
  if (total.threads() > 0) return "";
  if (total.samples == 0)
    return fmt::format("no sample was taken: the end came before the first, after {:g} s (-i takes them more often)",
                       static_cast<double>(counts.setup().interval_ns) * 1e-9);
  if (counts.account().unreadable > 0)
    return "this account may not inspect any of these processes: run dpm as their user or as root";
  if (counts.setup().source == sampling::kIteratorSource && std::ranges::any_of(selection.pids, is_of_kernel))
    return "nothing was found: the kernel's iterator has no threads of the kernel itself ('--source proc' has them)";
  if (selection.kind == Kind::terminals)
    return fmt::format(
        "nothing was found: no process of {} was there ('ps -eo tty,pid,comm' lists those that have one)",
        selection.text);
  return fmt::format("nothing was found: no process of {} was there ('ps -eo user,sid,pid,comm' lists those that run)",
                     selection.text);
}

}  // namespace dpm::cli

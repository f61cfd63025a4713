#include "backends/linux/supervisor/bypass_watch.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace dpm {
namespace {

// A process that lives for milliseconds ends before it is surveyed, so it is looked at during some of its first calls.
bool is_young_and_due(std::uint64_t calls) { return calls == 4 || calls == 16 || calls == 64 || calls == 256; }

}  // namespace

std::string name_for_people(ProcessView& kernel, std::uint32_t pid) {
  const std::string name = kernel.read_command_name(pid, pid);
  return fmt::format("{} ({})", name.empty() ? "process" : name, pid);
}

void BypassWatch::look_for_ring(const MeteredThread& metered) {
  if (!is_young_and_due(metered.notified_calls) || !shared_.kernel.has_low_ring(metered.pid())) return;
  add(metered.pid(), {.io_uring = true});
}

void BypassWatch::passes(Bypass way, std::uint32_t pid) {
  std::string& name = names_[pid];
  if (name.empty()) name = name_for_people(shared_.kernel, pid);
  account_.add_calls(way, name, 1);
}

void BypassWatch::program_began(TrackedThread& thread, LocalTime time) {
  const std::uint32_t pid = thread.metered->pid();
  names_.erase(pid);
  const ProgramKind kind = shared_.kernel.program_kind(pid);
  if (kind == ProgramKind::not_native) add(pid, {.native = false});
  if (kind != ProgramKind::unknown) return;
  thread.process->unseen = name_for_people(shared_.kernel, pid);
  thread.process->unseen_since = time;
}

void BypassWatch::has_ended(const TrackedThread& thread) {
  const TrackedProcess& process = *thread.process;
  const bool is_first = thread.metered->tid() == thread.metered->pid();
  if (is_first) names_.erase(thread.metered->pid());
  if (is_first && !process.unseen.empty() && !thread.metered->was_seen_after(process.unseen_since))
    account_.add_unseen(process.unseen);
}

std::vector<std::uint32_t> BypassWatch::due(std::int64_t now_ns) {
  constexpr std::int64_t kPauseMaxNs = 2'000'000'000;
  constexpr std::size_t kAtOnce = 4;
  std::vector<std::uint32_t> due;
  for (auto& [pid, process] : shared_.table.processes()) {
    if (process->survey_at_ns == 0) process->survey_at_ns = now_ns + process->survey_pause_ns;
    if (process->survey_at_ns > now_ns || due.size() == kAtOnce) continue;
    process->survey_pause_ns = std::min(2 * process->survey_pause_ns, kPauseMaxNs);
    process->survey_at_ns = now_ns + process->survey_pause_ns;
    due.push_back(pid);
  }
  return due;
}

}  // namespace dpm

#include "backends/linux/supervisor/surveys.hpp"

#include <utility>

#include "os/heap.hpp"
#include "os/kernel/open_files.hpp"

namespace dpm {

void Surveys::look() {
  look_for_bypasses();
  look_at_open_files();
}

void Surveys::look_for_bypasses() {
  std::vector<std::uint32_t> due;
  {
    const std::lock_guard lock(mutex_);
    due = tracker_.bypasses().due(shared_.clock.steady_now_ns());
  }
  for (const std::uint32_t pid : due) {
    const OpenBypasses open = survey_bypasses(pid);
    const std::lock_guard lock(mutex_);
    tracker_.bypasses().add(pid, open);
  }
}

// close() is not notified (Conversations, "Forgetting").
void Surveys::look_at_open_files() {
  std::vector<std::uint32_t> pids;
  {
    const std::lock_guard lock(mutex_);
    if (!shared_.meter.conversations().wants_survey()) return;
    tracker_.read_news();
    for (const auto& [pid, process] : shared_.table.processes()) pids.push_back(pid);
    shared_.meter.conversations().begin_survey();
  }
  OpenFiles open;
  std::vector<std::uint32_t> not_seen;
  for (const std::uint32_t pid : pids)
    if (!add_open_files(pid, open)) not_seen.push_back(pid);
  {
    const std::lock_guard lock(mutex_);
    shared_.meter.paths().end_survey(std::move(open), not_seen);
  }
  give_back_free_memory();  // much is forgotten at once
}

}  // namespace dpm

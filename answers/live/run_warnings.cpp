#include "answers/live/run_warnings.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answers/live/rows.hpp"
#include "model/counted.hpp"
#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kLossesNamed = 3, kQueuesNamed = 3;
constexpr double kQueueLeast = 5;  // messages, on average, before a queue counts as long
constexpr double kGrowth = 1.5;    // from one third of the run to the next
constexpr double kPathShareLeast = .6;

std::string name_of(ProcessId process, const TraceInfo& info) {
  return process.value < info.processes.size() ? info[process].name : fmt::format("process {}", process.value);
}

void add_losses(const LiveRecording& recording, std::vector<RunWarning>& warnings) {
  const Ledger& ledger = recording.ledger();
  if (recording.is_cut_off())
    warnings.push_back({"The recorder was stopped before it could write the end of the trace.",
                        "The events that it had written are shown. Record again if the end matters."});
  if (ledger.lost > 0) {
    std::string text = fmt::format("{} of {} events are lost.", ledger.lost, ledger.seen);
    for (std::size_t i = 0; i < std::min(kLossesNamed, ledger.losses.size()); ++i)
      text += fmt::format(" {}: {}.", ledger.losses[i].events, ledger.losses[i].reason);
    warnings.push_back({std::move(text),
                        "Counts are too small by the lost events. Let rules keep fewer events, or meter fewer calls "
                        "(--flags), and 'dpm doctor' says what limits the meter."});
  }
  if (!recording.is_over()) return;  // its warnings are that it goes on, which the page says
  for (const std::string& warning : ledger.warnings) warnings.push_back({warning, ""});
}

// A queue that has grown from one third of the run to the next.
void add_queues(const LiveRecording& recording, std::vector<RunWarning>& warnings) {
  const RunTime now = recording.now();
  const std::vector<RunTime> edges = {{0}, {now.ns / 3}, {now.ns / 3 * 2}, {now.ns}};
  if (edges[1].ns == 0) return;
  struct Growing {
    double mean;
    ProcessId process;
  };
  std::vector<Growing> growing;
  for (const auto& [row, did] : process_rows(recording, edges, false)) {
    // Queues of live programs follow the load of closed loops of clients: that they grow is not yet a fault.
    if (!recording.levels().has_queue(row)) continue;
    double mean[3];
    for (int i = 0; i < 3; ++i)
      mean[i] = did.queue_mean(static_cast<std::size_t>(i), edges[static_cast<std::size_t>(i)],
                               edges[static_cast<std::size_t>(i) + 1]);
    if (mean[2] >= kQueueLeast && mean[2] >= kGrowth * mean[1] && mean[1] >= mean[0]) growing.push_back({mean[2], row});
  }
  std::sort(growing.begin(), growing.end(), [](const auto& a, const auto& b) { return a.mean > b.mean; });
  for (std::size_t i = 0; i < std::min(kQueuesNamed, growing.size()); ++i) {
    const std::string name = name_of(growing[i].process, recording.info());
    warnings.push_back(
        {fmt::format("The queue of '{}' grows: {} messages on average in the last third of the run.", name,
                     fixed(growing[i].mean, 1)),
         fmt::format("'{}' does not keep up with its requests. Try a copy of it, or a faster machine, in the "
                     "view Placement.",
                     name)});
  }
}

void add_path(const WholeFindings& whole, std::vector<RunWarning>& warnings) {
  if (!whole.found.parallel) return;
  const auto& processes = whole.found.parallel->path.processes;
  if (processes.size() < 2 || processes.front().fraction < kPathShareLeast) return;
  const std::string name = name_of(processes.front().process, whole.found.parallel->history->info);
  warnings.push_back(
      {fmt::format("'{}' is {} of the longest path.", name, percent(processes.front().fraction)),
       fmt::format("Only less work in '{}' makes the program much faster: divide it, or let other processes do "
                   "a part of it.",
                   name)});
}

}  // namespace

std::vector<RunWarning> run_warnings(const LiveRecording& recording, const WholeFindings* whole) {
  std::vector<RunWarning> warnings;
  add_losses(recording, warnings);
  if (recording.is_empty()) return warnings;
  if (!recording.levels().offsets().is_common())
    warnings.push_back(
        {"The clocks of the machines could not be compared: no messages lead from one to another and back.",
         "Times of different machines are aligned by their first events. Do not compare them closely."});
  add_queues(recording, warnings);
  if (whole == nullptr) return warnings;
  add_path(*whole, warnings);
  for (const std::string& missing : whole->found.missing) warnings.push_back({missing, ""});
  for (const std::string& warning : whole->found.warnings) warnings.push_back({warning, ""});
  for (const std::string& caveat : whole->caveats) warnings.push_back({caveat, ""});
  return warnings;
}

}  // namespace dpm::cli

// What the views of a report.html show: the page's answers about a trace that has ended, put into the file, which has no
// server to ask (docs/live-page.md, "Data in a file"). The same trace has the same data.
//
//   FileData data(is_scripted);
//   data.add_to(asked);                     // of FindingsReader, or find_all(): one reading for everything
//   Json json = data.take(findings);
//
// Memory: at most kEventsMost events, beside the levels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/levels/levels.hpp"
#include "analysis/levels/queue_levels.hpp"
#include "answers/findings/findings.hpp"
#include "answers/reading/trace_caveats.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

class FileData : public EventSink {
 public:
  static constexpr std::uint64_t kEventsMost = 1'000'000;

  explicit FileData(bool is_scripted) : predicted_{.only = {}, .all_processes = is_scripted, .external_time = false} {}

  void add_to(Asked& asked);

  void on_begin(const TraceInfo& info) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport& losses) override;

  // After the reading, once. `found` is as before when it returns. Null: the trace has no events, or more than a file should
  // answer for; the report then has only its sections.
  view::Json take(Findings& found);

 private:
  Computation predicted_;
  std::unique_ptr<LevelsAnalysis> levels_ = std::make_unique<LevelsAnalysis>();
  std::shared_ptr<QueueLevels> queues_ = std::make_shared<QueueLevels>();
  Endings endings_;
  std::vector<Event> events_;
  std::uint64_t seen_ = 0;
};

// Reads the trace.
view::Json file_data(const std::string& trace);

}  // namespace dpm::cli

// The analyses of a whole trace, on one thread of their own, with a reading of their own: they give what the commands of
// the same names print.
//
// Of a program that runs, the analyses cover what was written when they began. They begin again when their results are
// asked for, after a pause of fifty times what they took, and of a second: at most a fiftieth of a core. A trace with more than
// `events_max` events is not analysed as a whole, because its history graph would take too much memory.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "analysis/levels/levels.hpp"
#include "analysis/levels/queue_levels.hpp"
#include "answers/findings/findings.hpp"
#include "answers/live/placement_trials.hpp"
#include "answers/live/whole_blame.hpp"
#include "answers/reading/part_reading.hpp"
#include "answers/reading/trace_caveats.hpp"
#include "view/answers/answer.hpp"

namespace dpm::cli {

struct WholeFindings {
  Findings found;
  std::vector<std::string> caveats;  // of predictions
  Result<std::unique_ptr<PlacementTrials>> trials = Error{"not computed"};
  std::unique_ptr<LevelsAnalysis> levels;  // with streams as messages; may be taken
  std::shared_ptr<QueueLevels> queues = std::make_shared<QueueLevels>();
  std::unique_ptr<WholeBlame> blame;  // null: the trace has too many events
  std::string title;
  // The version of the trace that was read.
  std::uint64_t events = 0;
  double to_s = 0;
  bool is_final = false;  // the trace had ended
};

class WholeTrace {
 public:
  static constexpr std::uint64_t kEventsMost = 20'000'000;

  explicit WholeTrace(std::string path) : path_(std::move(path)) {}
  ~WholeTrace();

  // What is asked of: the trace as it is read now.
  struct Now {
    std::uint64_t events = 0;
    double now_s = 0;
    bool is_over = false, is_scripted = false;
  };
  // The latest findings; none while the first are computed. Begins to compute if there is something new and it is time.
  std::shared_ptr<WholeFindings> ask(const Now& now);
  // Why there will be none.
  std::optional<std::string> refusal() const;
  bool is_busy() const { return is_busy_; }
  double computed_share() const;  // of the findings that are being computed, as an estimate

 private:
  using Clock = std::chrono::steady_clock;
  void compute(const Now& now);

  const std::string path_;
  mutable std::mutex mutex_;
  std::shared_ptr<WholeFindings> findings_;
  std::optional<std::string> refusal_;
  std::uint64_t events_of_findings_ = 0;
  Clock::time_point next_{};
  std::atomic<std::uint64_t> events_read_ = 0, events_expected_ = 0;
  std::atomic<int> steps_done_ = 0;  // of those after the reading
  std::atomic<bool> is_busy_ = false;
  std::jthread thread_;
};

// What `dpm NAME --json` prints; an error says why there is nothing.
Result<view::Json> statistics_document(const WholeFindings& whole);
Result<view::Json> statistics_document(const std::string& directory,
                                       const TracePart& part);  // read again from the disk
Result<view::Json> queues_document(const WholeFindings& whole);
Result<view::Json> parallelism_document(const WholeFindings& whole);
Result<view::Json> causality_document(const WholeFindings& whole);
// The states and the most frequent paths of requests.
Result<view::Json> paths_document(const WholeFindings& whole, std::size_t most);

}  // namespace dpm::cli

// Feedback scheduling of a program that is metered: a listener of its events, and a thread that decides.
//
//      source's thread ── events, names ──► queue ──► this thread: LiveScheduler ──► CPU affinities
//
// The source never waits for a decision. If the thread cannot follow, events are dropped and counted, and the scheduler moves nothing
// while its window misses events.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "cli/meter/live_listener.hpp"
#include "cli/schedule/schedule_options.hpp"
#include "os/process_handle.hpp"
#include "scheduling/live/live_scheduler.hpp"
#include "scheduling/placing/affinity_guard.hpp"
#include "scheduling/placing/linux_affinity_calls.hpp"
#include "scheduling/placing/linux_placing.hpp"

namespace dpm::cli {

struct ScheduleOutcome {
  std::vector<JournalEntry> journal;  // one entry for each decision, as it ended
  RestoredThreads restored;
  std::uint64_t dropped_events = 0;
  double cpu_s = 0;  // of the thread that decides
  // When the process that the user started had ended, and nothing was moved any more; none: it has not, or the program ended with it.
  std::optional<double> command_ended_s;
  std::vector<std::string> warnings;
};

class LiveSchedule : public LiveListener {
 public:
  // Starts the process that restores the affinities if this one is killed. Threads begin in begin().
  static Result<std::unique_ptr<LiveSchedule>> prepare(SchedulePlan plan);
  ~LiveSchedule() override;

  // Called on the thread that decides, whenever the journal has changed. To be set before begin().
  void on_news(std::function<void(const ScheduleOutcome&)> told) { told_ = std::move(told); }

  // The process that the user started: when it has ended, however, all threads get their CPUs back and nothing is moved any more, even
  // if metering goes on. To be called before begin().
  void end_with(std::uint32_t front_pid) { front_ = open_process(front_pid), has_front_ = true; }

  void begin(std::function<std::uint64_t()> lost_events) override;
  void end() override;
  void on_begin(const TraceInfo& info) override;
  void on_growth(const TraceGrowth& growth) override;
  void on_events(std::span<const Event> batch) override;
  void on_end(const LossReport&) override {}

  const SchedulePlan& plan() const { return plan_; }
  const ScheduleOutcome& outcome() const { return outcome_; }  // after end()

 private:
  static constexpr std::size_t kWaitingMost = 1 << 20;

  explicit LiveSchedule(SchedulePlan plan) : plan_(std::move(plan)) {}

  void work(const std::stop_token& stop);
  bool front_has_ended() const { return has_front_ && (!front_ || has_ended(front_.get())); }
  void give_back();
  void take_news(Duration now);
  void note(const JournalEntry& entry);

  SchedulePlan plan_;
  LinuxAffinityCalls calls_;
  std::optional<AffinityGuard> guard_;
  std::optional<LinuxPlacing> placing_;
  std::unique_ptr<Policy> policy_;
  std::unique_ptr<LiveScheduler> scheduler_;
  std::function<std::uint64_t()> lost_events_;
  ScheduleOutcome outcome_;
  std::function<void(const ScheduleOutcome&)> told_;
  UniqueFd front_;
  bool has_front_ = false;

  std::mutex mutex_;  // of what follows
  std::vector<TraceGrowth> growth_;
  std::vector<Event> events_;
  std::uint64_t dropped_ = 0;
  bool is_over_ = false;  // nothing is taken any more

  std::vector<Event> taken_;
  std::condition_variable_any woken_;
  std::jthread thread_;
};

}  // namespace dpm::cli

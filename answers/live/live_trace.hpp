// Answers what the page asks of a trace that is being written, has ended, or is still being read (docs/live-page.md). It
// knows nothing of connections.
//
// Three threads, and one lock around what they share: the caller's thread answers; a thread reads what is new, in slices
// of some milliseconds, and gives way to a request that waits; a thread of WholeTrace analyses the whole trace with a
// reading of its own. Predictions that take long, and searches, are done on a fourth.
//
// Memory, for a program that runs for days: the levels (LevelsOptions::bytes_max) and the index of packets are bounded,
// the analyses of the whole trace end at WholeTrace::kEventsMost events; what remains grows with the processes and
// channels that the trace names, as in every reader.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <variant>

#include "answers/live/background_work.hpp"
#include "answers/live/best_curve.hpp"
#include "answers/live/latest_answers.hpp"
#include "answers/live/live_recording.hpp"
#include "answers/live/live_states.hpp"
#include "answers/live/run_answers.hpp"
#include "answers/live/schedule_file.hpp"
#include "answers/live/space_time_answers.hpp"
#include "answers/live/tick_pace.hpp"
#include "answers/live/whole_trace.hpp"
#include "view/answers/request_handler.hpp"

namespace dpm::cli {

struct LiveTraceOptions {
  LevelsOptions levels;
  std::string source;  // what to call the trace; empty: its path
  std::string dpm;     // version
};

class LiveTrace : public view::RequestHandler {
 public:
  // Gets {"now_s", "state", "version"} when there is something new.
  using Changed = std::function<void(const view::Json& tick)>;

  static Result<std::unique_ptr<LiveTrace>> open(const std::string& path, LiveTraceOptions options = {});
  ~LiveTrace() override;

  // Reads what is new from now on, on a thread.
  void start(Changed changed);
  // Ends that thread: `changed` is not called any more.
  void stop();
  // Reads at most about `events_max` events, without start(). True: there may be more already.
  bool read(std::uint64_t events_max);

  // From any thread.
  void answer(const view::PageRequest& request, Done done) override;
  std::vector<view::MetricFamily> metrics() override;
  // The whole trace is being analysed, which may take a minute: the destructor waits for it.
  bool is_analysing() const { return whole_.is_busy(); }

 private:
  struct Search {
    std::atomic<std::uint64_t> evaluated = 0, of = 0;
    std::atomic<std::uint64_t> changes = 0;  // it began, or it ended
    std::mutex mutex;
    bool is_running = false;
    view::Json best;  // null: none yet
    std::string why_not;
  };

  // What is left to do without the lock: at once, or on the thread of what takes long.
  struct Task {
    bool is_slow = false;
    std::function<Result<view::Answer>()> find;
  };
  using Reply = std::variant<Result<view::Answer>, Task>;

  // What an answer is of, and so when it is known and how long it holds.
  enum class Of {
    moment,    // it is not kept
    samples,   // of a trace that has ended: findings
    levels,    // it holds until something new is read
    run,       // the same, with the findings of the whole trace where there are some
    findings,  // {"computing": share} until there are some
  };
  struct Handler {
    std::string_view name;
    Of of;
    // Under the lock, with the parameters as view::read_parameters() gives them.
    Reply (*ask)(LiveTrace& live, const view::Json& params);
  };

  LiveTrace(LiveRecording recording, std::string path, LiveTraceOptions options);
  std::unique_lock<std::mutex> lock();
  void keep_reading(const std::stop_token& stop, const Changed& changed);
  // One part of the best P over time, if it is time for one.
  void look_for_best();
  void take_whole();
  view::Json tick() const;

  view::Json as_of() const;
  view::Json as_of_findings(const view::Answer* answer) const;
  view::Json version_of(const WholeFindings& whole) const;
  // Adds to an answer what of the trace it is of.
  void stamp(Reply& reply, Of of) const;

  Reply reply_to(const view::PageRequest& request);
  Reply dispatch(const Handler& handler, Of of, const view::PageRequest& request);
  static const Handler& handler_of(std::string_view name);

  // The handlers that are more than a call. Those of findings are called when there are some.
  view::Answer overview(const view::Json& params) const;
  Result<view::Answer> computing() const;
  Reply explain(std::function<Result<view::Json>(const WholeBlame&)> find) const;
  Reply blame(const view::Json& params) const;
  Reply statistics(const view::Json& params) const;
  // By machine: what its clock showed at the beginning of the run.
  std::vector<LocalTime> begins() const;
  Reply states();
  view::Answer placement() const;
  Reply of_trial(const view::Json& params, bool is_slow,
                 Result<view::Json> (*find)(const WholeFindings&, const PlacementTrials::Trial&)) const;
  Result<view::Answer> begin_search();

  LiveRecording recording_;
  LiveState state_;
  SpaceTimeAnswers space_time_;
  BestCurve best_;
  LatestAnswers latest_;
  TickPace pace_;
  WholeTrace whole_;
  LiveStates states_;
  ScheduleFile schedule_;
  std::shared_ptr<WholeFindings> findings_;  // the latest
  std::atomic<int> waiting_ = 0;             // requests that want the lock
  std::mutex mutex_;
  std::shared_ptr<Search> search_ = std::make_shared<Search>();
  BackgroundWork work_;
  std::uint64_t search_changes_ = 0;  // that are in the version
  std::chrono::steady_clock::time_point next_best_{};
  std::jthread reader_;  // the first to end
};

}  // namespace dpm::cli

#include "cli/meter/results_recording.hpp"

#include <atomic>
#include <chrono>
#include <ctime>
#include <mutex>
#include <utility>

#include "analysis/statistics/threads.hpp"
#include "answers/kept/results_file.hpp"
#include "answers/kept/results_recorder.hpp"
#include "backends/linux/custody/keeper/control_socket.hpp"
#include "cli/meter/command_end.hpp"
#include "cli/meter/descriptor_watch.hpp"
#include "filter/event_filter.hpp"
#include "os/kernel/process_files.hpp"
#include "os/process_handle.hpp"

namespace dpm::cli {
namespace {

// Between two writings of the file; each takes as long as a hundred-thousandth of an hour of events, and no call waits for it.
constexpr std::chrono::seconds kWriteEach{15};

// What the filter keeps, for the recorder.
class KeptEvents : public RecordSink, public GrowthSink {
 public:
  explicit KeptEvents(ResultsRecorder& recorder) : recorder_(recorder) {}

  void on_begin(const TraceInfo& info) override { recorder_.on_begin(info); }
  void on_growth(const TraceGrowth& growth) override { recorder_.on_growth(growth); }
  void on_records(std::span<const Event> events, std::span<const dpm::Verdict> verdicts) override {
    kept_.clear();
    for (std::size_t i = 0; i < events.size(); ++i)
      if (verdicts[i].record_class != kNotKept) kept_.push_back(events[i]);
    recorder_.on_events(kept_);
  }
  void on_end(const Ledger& ledger) override { recorder_.on_end({ledger.seen, ledger.losses, ledger.warnings}); }

 private:
  ResultsRecorder& recorder_;
  std::vector<Event> kept_;
};

// Three threads use it, as in Recording (metering.cpp).
class ResultsRecording : public EventSink, public GrowthSink {
 public:
  ResultsRecording(MeteredRun& run, RecordingPlan plan, const ResultsSurroundings& around)
      : run_(run),
        plan_(std::move(plan)),
        around_(around),
        kept_(recorder_),
        filter_(std::move(plan_.rules), kept_),
        inside_(plan_.inside ? std::make_unique<InsideRecording>(*plan_.inside, *this, *this) : nullptr),
        status_{.pid = run.facts().pid,
                .command = run.facts().command,
                .flags = plan_.flags,
                .since_s = ::time(nullptr),
                .output = around.file},
        command_(open_process(run.facts().pid)),
        signals_(around.stop_signals),
        source_(run.meter({.flags = plan_.flags,
                           .names_to = inside_ ? static_cast<GrowthSink*>(&*inside_) : this,
                           .callers = plan_.callers,
                           .whole_cpu_time = plan_.whole_cpu_time,
                           .summary_interval = plan_.summary_interval})),
        control_(ControlServer::open(answers())) {}

  void on_begin(const TraceInfo& info) override {
    const std::lock_guard lock(mutex_);
    info_ = info;
    if (!plan_.chosen.empty()) info_.source += ", " + plan_.chosen;
    filter_.on_begin(info_);
  }
  void on_growth(const TraceGrowth& growth) override {
    const std::lock_guard lock(mutex_);
    kept_.on_growth(growth);
  }
  void on_events(std::span<const Event> batch) override {
    const std::lock_guard lock(mutex_);
    filter_.on_events(batch);
    events_ += batch.size();
    if (std::chrono::steady_clock::now() >= due_) write_so_far();
  }
  void on_end(const LossReport& losses) override {
    const std::lock_guard lock(mutex_);
    filter_.on_end(losses);
    ended_ = true;
  }

  void run_to_end() {
    const DescriptorWatch watch(watched());
    const auto command_end = await_command_end();
    if (auto done = source_->run(inside_ ? static_cast<EventSink&>(*inside_) : *this); !done)
      recorded_.failure = done.error().what;
  }

  Result<ResultsRecorded> result() {
    if (stopped_)
      if (auto left = run_.release(); !left) recorded_.failure = left.error().what;
    recorded_.ledger = filter_.ledger();
    std::vector<std::string>& warnings = recorded_.ledger.warnings;
    for (std::string& note : recorder_.notes()) warnings.push_back(std::move(note));
    if (inside_)
      for (std::string& complaint : inside_->take_complaints()) warnings.push_back(std::move(complaint));
    if (!control_)
      warnings.push_back("dpm list, stop and setflags could not reach this meter: " + control_.error().what);
    recorded_.meter = source_->summary();
    recorded_.stopped = stopped_;
    if (auto done = write_results(around_.file, recorder_, recorded_.ledger, true); !done) return done.error();
    return ResultsRecorded{std::move(recorded_), sum_threads(recorder_.statistics().result(), recorder_.info())};
  }

 private:
  MeterControl answers() {
    return {.status =
                [this] {
                  status_.events = events_;
                  status_.lost = source_->so_far().losses.lost();
                  return status_;
                },
            .set_flags =
                [this](MeterFlags changed) {
                  status_.flags = changed;
                  source_->set_flags(0, changed);
                },
            .processes = [this] { return source_->so_far().processes; },
            .stop = [this] { stop(); },
            .set_meter = [this](MeterChange change) -> Result<void> {
              if (change.connection == MeterChange::Connection::given)
                return Error{"a meter with --summary passes no events on: it keeps only results"};
              if (change.flags) source_->set_flags(change.pid, *change.flags);
              return {};
            }};
  }

  std::vector<DescriptorWatch::Watched> watched() {
    std::vector<DescriptorWatch::Watched> watched = {{signals_.fd(), [this] {
                                                        if (signals_.take()) stop();
                                                      }}};
    if (control_) watched.push_back({control_->fd(), [this] { control_->handle(); }});
    return watched;
  }

  std::unique_ptr<CommandEnd> await_command_end() {
    if (!command_ || !around_.on_left_behind) return nullptr;
    return std::make_unique<CommandEnd>(
        std::move(command_), [this] { return !source_->so_far().processes.empty(); },
        [this] {
          std::vector<ProcessLeft> left;
          for (const std::uint32_t pid : source_->so_far().processes)
            left.push_back({pid, read_command_name(pid, pid)});
          {
            const std::lock_guard lock(mutex_);
            if (!ended_) write_so_far();
          }
          around_.on_left_behind(left);
        });
  }

  // If the file cannot be written now, it is at the end.
  void write_so_far() {
    LossReport losses = source_->so_far().losses;
    losses.seen += events_;
    Ledger ledger = filter_.ledger_after(losses);
    for (std::string& note : recorder_.notes()) ledger.warnings.push_back(std::move(note));
    [[maybe_unused]] const auto done = write_results(around_.file, recorder_, ledger, false);
    due_ = std::chrono::steady_clock::now() + kWriteEach;
  }

  void stop() {
    stopped_ = true;
    source_->stop();
  }

  MeteredRun& run_;
  RecordingPlan plan_;
  const ResultsSurroundings& around_;
  std::mutex mutex_;  // of recorder and filter
  ResultsRecorder recorder_;
  KeptEvents kept_;
  EventFilter filter_;
  TraceInfo info_;
  std::unique_ptr<InsideRecording> inside_;
  MeterStatus status_;  // the watching thread's own
  UniqueFd command_;
  SignalDescriptor signals_;  // blocked before the source starts its threads
  std::unique_ptr<LiveSource> source_;
  Result<ControlServer> control_;
  std::atomic<bool> stopped_{false};
  std::atomic<std::uint64_t> events_{0};
  bool ended_ = false;
  std::chrono::steady_clock::time_point due_ = std::chrono::steady_clock::now() + kWriteEach;
  Recorded recorded_;
};

}  // namespace

Result<ResultsRecorded> record_results(MeteredRun& run, RecordingPlan plan, const ResultsSurroundings& around) {
  ResultsRecording recording(run, std::move(plan), around);
  recording.run_to_end();
  return recording.result();
}

}  // namespace dpm::cli

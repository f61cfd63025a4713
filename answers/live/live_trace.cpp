#include "answers/live/live_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "answers/live/levels_answer.hpp"
#include "answers/live/placement_answers.hpp"
#include "answers/live/request_diagram.hpp"
#include "answers/live/request_window.hpp"
#include "answers/live/time_answers.hpp"

namespace dpm::cli {
namespace {

using view::Answer;
using view::Json;
using view::PageRequest;

constexpr std::uint64_t kSliceEvents = 20'000;  // some milliseconds
constexpr std::chrono::milliseconds kLook{50};  // between two looks for new events
constexpr int kPauseFactor = 99;                // a pause is that many times as long as the work before it

}  // namespace

LiveTrace::LiveTrace(LiveRecording recording, std::string path, LiveTraceOptions options)
    : recording_(std::move(recording)), whole_(path), states_(path), schedule_(path) {
  state_.source = std::move(options.source);
  state_.dpm = std::move(options.dpm);
}

LiveTrace::~LiveTrace() = default;

Result<std::unique_ptr<LiveTrace>> LiveTrace::open(const std::string& path, LiveTraceOptions options) {
  auto recording = LiveRecording::open(path, options.levels);
  if (!recording) return recording.error();
  if (options.source.empty()) options.source = path;
  return std::unique_ptr<LiveTrace>(new LiveTrace(*std::move(recording), path, std::move(options)));
}

// The reader gives way to a thread that waits here.
std::unique_lock<std::mutex> LiveTrace::lock() {
  ++waiting_;
  std::unique_lock held(mutex_);
  --waiting_;
  return held;
}

bool LiveTrace::read(std::uint64_t events_max) {
  const auto held = lock();
  const std::uint64_t before = recording_.levels().events();
  const bool was_over = recording_.is_over();
  const bool more = recording_.read(events_max);
  const bool is_news = recording_.levels().events() != before || was_over != recording_.is_over();
  if (schedule_.refresh() || is_news) ++state_.version;
  return more;
}

void LiveTrace::start(Changed changed) {
  reader_ =
      std::jthread([this, changed = std::move(changed)](const std::stop_token& stop) { keep_reading(stop, changed); });
}

void LiveTrace::stop() { reader_ = {}; }

void LiveTrace::keep_reading(const std::stop_token& stop, const Changed& changed) {
  std::uint64_t told = 0;
  while (!stop.stop_requested()) {
    const bool more = read(kSliceEvents);
    Json news;
    {
      const auto held = lock();
      if (recording_.is_over()) take_whole();
      const auto now = TickPace::Clock::now();
      if (state_.version != told && pace_.may_tell(now)) {
        news = tick();
        told = state_.version;
        pace_.told(now);
      }
    }
    if (!news.is_null() && changed) changed(news);
    if (!more) look_for_best();
    while (waiting_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
    if (!more) std::this_thread::sleep_for(kLook);
  }
}

// At most a hundredth of a core. Only the events are read under the lock.
void LiveTrace::look_for_best() {
  const auto began = std::chrono::steady_clock::now();
  if (began < next_best_) return;
  std::optional<BestCurve::Part> part;
  std::optional<LiveRecording::Window> sample;
  TraceInfo info;
  {
    const auto held = lock();
    if (recording_.is_empty()) return;
    part = best_.next(recording_.now());
    if (!part) return;
    sample = sample_of(*part, recording_);
    info = recording_.trace_info();
  }
  const auto P = sample ? best_P(*sample, part->from, part->to, info) : std::nullopt;
  const auto held = lock();
  best_.add(P);
  ++state_.version;
  next_best_ = std::chrono::steady_clock::now() + kPauseFactor * (std::chrono::steady_clock::now() - began);
}

Json LiveTrace::tick() const {
  return {{"now_s", recording_.is_empty() ? 0. : recording_.now().seconds()},
          {"state", state_name(recording_)},
          {"version", state_.version}};
}

// What the whole trace's analyses have found by now; of a trace that has ended, also its levels.
void LiveTrace::take_whole() {
  auto latest = whole_.ask({.events = recording_.levels().events(),
                            .now_s = recording_.is_empty() ? 0 : recording_.now().seconds(),
                            .is_over = recording_.is_over(),
                            .is_scripted = recording_.info().properties.scripted});
  if (latest == findings_) return;
  findings_ = std::move(latest);
  state_.is_analysed = findings_->is_final;
  state_.no_predictions = findings_->trials ? "" : findings_->trials.error().what;
  ++state_.version;
  if (findings_->is_final && findings_->levels)
    recording_.use(std::move(findings_->levels), findings_->found.input.info);
  if (!findings_->queues->empty())
    recording_.use_queues(findings_->queues,
                          findings_->is_final ? recording_.now() : RunTime::from_seconds(findings_->to_s));
}

Result<Answer> LiveTrace::computing() const {
  if (const auto refusal = whole_.refusal()) return Error{*refusal};
  return Answer{{{"computing", whole_.computed_share()}}, {}};
}

Result<Answer> LiveTrace::of_whole(const PageRequest& request) {
  take_whole();
  if (findings_ == nullptr) return computing();
  const auto most = number_of(request.params, "most", 40, 1, 10'000);
  const auto number = number_of(request.params, "number", 0, 0, 4e9);
  if (!most) return most.error();
  if (!number) return number.error();
  auto document = request.name == "statistics" ? statistics_document(*findings_)
                  : request.name == "request"  ? request_diagram(findings_->found, static_cast<std::uint64_t>(*number))
                  : request.name == "queues"   ? queues_document(*findings_)
                  : request.name == "parallelism" ? parallelism_document(*findings_)
                  : request.name == "causality"   ? causality_document(*findings_)
                                                  : paths_document(*findings_, static_cast<std::size_t>(*most));
  if (!document) return document.error();
  if (!findings_->is_final) (*document)["of"] = {{"from_s", 0}, {"to_s", findings_->to_s}};
  return Answer{*std::move(document), {}};
}

Result<Answer> LiveTrace::placement(const std::shared_ptr<WholeFindings>& whole) {
  if (!whole->trials) return Answer{without_placements(recording_.info(), whole->trials.error().what), {}};
  Json document = placements_document(**whole->trials, whole->is_final ? recording_.now().seconds() : whole->to_s);
  const std::lock_guard held(search_->mutex);
  document["best"] = search_->best;
  if (search_->is_running)
    document["searching"] =
        static_cast<double>(search_->evaluated) / static_cast<double>(std::max<std::uint64_t>(search_->of, 1));
  if (!search_->why_not.empty()) document["why_not"] = search_->why_not;
  return Answer{std::move(document), {}};
}

Result<Answer> LiveTrace::begin_search(const std::shared_ptr<WholeFindings>& whole) {
  if (!whole->trials) return whole->trials.error();
  {
    const std::lock_guard held(search_->mutex);
    if (search_->is_running) return Answer{{{"searching", true}}, {}};
    search_->is_running = true;
  }
  const auto search_there = [search = search_, whole] {
    const PlacementTrials& trials = **whole->trials;
    auto best = search_best(trials, [&](std::uint64_t evaluated, std::uint64_t of) {
      search->evaluated = evaluated;
      search->of = of;
    });
    const std::lock_guard held(search->mutex);
    search->is_running = false;
    search->why_not = best ? "" : best.error().what;
    if (best) search->best = *std::move(best);
  };
  if (!work_.post(search_there)) {
    const std::lock_guard held(search_->mutex);
    search_->is_running = false;
    return Error{"too many predictions wait; ask again"};
  }
  return Answer{{{"searching", true}}, {}};
}

// What changes only with what has been read.
Result<Answer> LiveTrace::of_levels(const PageRequest& request) {
  const std::string& name = request.name;
  if (name == "describe") return describe_answer(recording_, state_);
  if (name == "traffic") return traffic_answer(request.params, recording_);
  if (name == "series") return series_answer(request.params, recording_);
  if (name == "levels") return levels_answer(request.params, recording_, best_);
  if (name == "spacetime") return space_time_.space_time(request.params, recording_);
  auto overview = overview_answer(request.params, recording_, findings_.get(), best_);
  if (overview) overview->json["schedule"] = schedule_.journal();
  return overview;
}

Result<Answer> LiveTrace::dispatch(const PageRequest& request) {
  const std::string& name = request.name;
  if (name == "message") return space_time_.message(request.params, recording_);
  if (name == "event_at") return event_at_answer(request.params, recording_);
  static const std::set<std::string> kOfLevels = {"describe", "overview", "traffic", "series", "levels", "spacetime"};
  if (kOfLevels.contains(name)) {
    if (name == "overview") take_whole();
    if (const Answer* known = latest_.find(request, state_.version)) return *known;
    auto answer = of_levels(request);
    if (answer) latest_.keep(request, *answer);
    return answer;
  }
  static const std::set<std::string> kOfWhole = {"statistics", "queues", "parallelism",
                                                 "causality",  "paths",  "request"};
  if (kOfWhole.contains(name)) return of_whole(request);
  static const std::set<std::string> kOfPlacements = {"placement", "placement_file", "predict", "search"};
  if (!kOfPlacements.contains(name)) return Error{fmt::format("there is no request '{}'", name)};
  take_whole();
  if (findings_ == nullptr) return computing();
  if (name == "placement") return placement(findings_);
  if (!findings_->trials) return findings_->trials.error();
  if (name == "search") return begin_search(findings_);
  const auto trial = (*findings_->trials)->read(request.params);
  if (!trial) return trial.error();
  if (name == "placement_file") return Answer{{{"text", PlacementTrials::file_text(*trial)}}, {}};
  auto predicted = (*findings_->trials)->predict(*trial);
  if (!predicted) return predicted.error();
  return Answer{*std::move(predicted), {}};
}

Result<Answer> LiveTrace::answer_now(const PageRequest& request) {
  const auto held = lock();
  const auto began = TickPace::Clock::now();
  auto answer = dispatch(request);
  pace_.answered(TickPace::Clock::now() - began);
  return answer;
}

// Replays need no lock: findings do not change.
void LiveTrace::predict(const PageRequest& request, Done done) {
  std::shared_ptr<WholeFindings> whole;
  {
    const auto held = lock();
    take_whole();
    whole = findings_;
  }
  if (whole == nullptr || !whole->trials) return done(answer_now(request));
  auto trial = (*whole->trials)->read(request.params);
  if (!trial) return done(trial.error());
  const auto replay = [whole, trial = *std::move(trial), done] {
    auto predicted = (*whole->trials)->predict(trial);
    if (!predicted) return done(predicted.error());
    done(Answer{*std::move(predicted), {}});
  };
  if (!trial->is_slow()) return replay();
  if (!work_.post(replay)) done(Error{"too many predictions wait; ask again"});
}

void LiveTrace::explain(const PageRequest& request, Done done) {
  std::shared_ptr<WholeFindings> whole;
  std::string of;
  bool is_over = false;
  {
    const auto held = lock();
    take_whole();
    whole = findings_;
    is_over = recording_.is_over();
    const auto process = number_of(request.params, "of", -1, -1, 4e9);
    if (!process) return done(process.error());
    const auto& processes = recording_.info().processes;
    if (*process >= 0 && *process < static_cast<double>(processes.size()))
      of = processes[static_cast<std::size_t>(*process)].name;
  }
  const auto tell = [done](const Result<Json>& document) {
    document ? done(Answer{*document, {}}) : done(document.error());
  };
  if (request.name == "states" && !is_over) return tell(states_.document());
  if (whole == nullptr) return done(computing());
  if (!whole->blame)
    return done(Error{fmt::format("more than {} events are too many for this view; the commands of dpm can",
                                  WholeBlame::kEventsMost)});
  const auto find = [whole, tell, of, of_states = request.name == "states"] {
    tell(of_states ? whole->blame->states() : whole->blame->blame(of));
  };
  if (!work_.post(find)) done(Error{"too many questions wait; ask again"});
}

void LiveTrace::answer(const PageRequest& request, Done done) {
  if (request.name == "predict") return predict(request, std::move(done));
  if (request.name == "blame" || request.name == "states") return explain(request, std::move(done));
  done(answer_now(request));
}

std::vector<view::MetricFamily> LiveTrace::metrics() {
  using Type = view::MetricFamily::Type;
  const auto held = lock();
  const LevelsAnalysis& levels = recording_.levels();
  const Ledger& ledger = recording_.ledger();
  const auto number = [](auto value) { return std::vector<view::MetricSample>{{{}, static_cast<double>(value)}}; };
  const std::vector<RunTime> all = {{-(std::int64_t{1} << 61)}, {std::int64_t{1} << 61}};
  ProcessAmounts sum;
  for (std::uint32_t p = 0; p < levels.processes(); ++p) sum += levels.of(ProcessId{p}, all).front();
  return {{"dpm_events_total", "Events read.", Type::counter, number(levels.events())},
          {"dpm_events_lost_total", "Events lost on the way.", Type::counter, number(ledger.lost)},
          {"dpm_messages_sent_total", "SENDs of all processes.", Type::counter, number(sum.sent)},
          {"dpm_sent_bytes_total", "Bytes of these.", Type::counter, number(sum.sent_bytes)},
          {"dpm_messages_received_total", "RECEIVEs of all processes.", Type::counter, number(sum.received)},
          {"dpm_cpu_seconds_total", "CPU time of all processes.", Type::counter,
           number(static_cast<double>(sum.cpu_ns) * 1e-9)},
          {"dpm_waiting_seconds_total", "Time that processes waited.", Type::counter,
           number(static_cast<double>(sum.waiting_ns) * 1e-9)},
          {"dpm_processes", "Processes and threads with events.", Type::gauge, number(levels.processes())},
          {"dpm_levels_bytes", "Memory of sums over time.", Type::gauge, number(levels.bytes())}};
}

}  // namespace dpm::cli

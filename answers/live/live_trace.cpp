#include "answers/live/live_trace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "answers/live/levels_answer.hpp"
#include "answers/live/live_metrics.hpp"
#include "answers/live/placement_answers.hpp"
#include "answers/live/request_diagram.hpp"
#include "answers/live/time_answers.hpp"
#include "view/answers/requests.hpp"

namespace dpm::cli {
namespace {

using view::Answer;
using view::Json;
using view::PageRequest;

constexpr std::uint64_t kSliceEvents = 20'000;  // some milliseconds
constexpr std::chrono::milliseconds kLook{50};  // between two looks for new events
constexpr int kPauseFactor = 99;                // a pause is that many times as long as the work before it
constexpr char kTooManyWait[] = "too many requests are pending: ask again";

Result<Answer> answer_of(Result<Json> document) {
  if (!document) return document.error();
  return Answer{*std::move(document), {}};
}

Result<Answer> stamped(Result<Answer> answer, Json version) {
  if (answer) answer->json["as_of"] = std::move(version);
  return answer;
}

std::optional<double> number_of(const Json& params, const char* name) {
  return params.contains(name) ? std::optional(params.at(name).get<double>()) : std::nullopt;
}

std::uint64_t whole_number(const Json& param) { return static_cast<std::uint64_t>(param.get<double>()); }

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
  const std::uint64_t search_changes = search_->changes;
  const bool is_news =
      recording_.levels().events() != before || was_over != recording_.is_over() || search_changes != search_changes_;
  search_changes_ = search_changes;
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

// Of the part that was read.
Json LiveTrace::as_of() const {
  const bool is_analysed = findings_ != nullptr && findings_->is_final;
  const Ledger& ledger = recording_.ledger();
  Json version = version_json({.events = ledger.kept - ledger.removed,
                               .to_s = recording_.is_empty() ? 0. : recording_.now().seconds(),
                               .state = state_name(recording_),
                               .is_final = recording_.is_over() && (is_analysed || whole_.refusal().has_value())});
  if (recording_.is_over() && !is_analysed && whole_.is_busy()) version["working"] = whole_.computed_share();
  return version;
}

Json LiveTrace::version_of(const WholeFindings& whole) const {
  return version_json({.events = whole.events,
                       .to_s = whole.to_s,
                       .state = whole.is_final ? state_name(recording_) : "recording",
                       .is_final = whole.is_final});
}

// Of the findings; also which work brings a later answer.
Json LiveTrace::as_of_findings(const Answer* answer) const {
  Json version = version_of(*findings_);
  if (answer != nullptr && answer->json.contains("searching") && answer->json["searching"].is_number())
    version["working"] = answer->json["searching"];
  else if (!findings_->is_final && whole_.is_busy())
    version["working"] = whole_.computed_share();
  else if (!findings_->is_final && version["events"] != as_of()["events"])
    version["working"] = 0;  // it has not begun: analyses pause
  return version;
}

Answer LiveTrace::overview(const Json& params) const {
  Answer answer = overview_answer(params, recording_, findings_.get(), best_);
  if (!answer.json["P_best"].is_null()) answer.json["P_best_as_of"] = version_of(*findings_);
  answer.json["schedule"] = schedule_.journal();
  return answer;
}

LiveTrace::Reply LiveTrace::explain(std::function<Result<Json>(const WholeBlame&)> find) const {
  if (!findings_->blame)
    return Error{fmt::format("this view shows at most {} events; the commands of dpm have no such limit",
                             WholeBlame::kEventsMost)};
  return Task{.is_slow = true,
              .find = [whole = findings_, find = std::move(find)] { return answer_of(find(*whole->blame)); }};
}

std::vector<LocalTime> LiveTrace::begins() const {
  const MachineOffsets& offsets = recording_.levels().offsets();
  std::vector<LocalTime> begins(recording_.info().machines.size());
  for (std::uint16_t machine = 0; machine < begins.size(); ++machine)
    if (offsets.has(MachineId{machine})) begins[machine] = offsets.local_time(MachineId{machine}, RunTime{});
  return begins;
}

LiveTrace::Reply LiveTrace::blame(const Json& params) const {
  const auto& processes = recording_.info().processes;
  const double of = params.at("of");
  const bool is_chosen = of >= 0 && of < static_cast<double>(processes.size());
  BlameQuestion question{.of = is_chosen ? processes[static_cast<std::size_t>(of)].name : "",
                         .from_s = number_of(params, "from_s"),
                         .to_s = number_of(params, "to_s"),
                         .begins = begins()};
  return explain([question = std::move(question)](const WholeBlame& blame) { return blame.blame(question); });
}

LiveTrace::Reply LiveTrace::statistics(const Json& params) const {
  TracePart part{.from_s = number_of(params, "from_s"), .to_s = number_of(params, "to_s"), .begins = begins()};
  if (part.is_all()) return answer_of(statistics_document(*findings_));
  return Task{.is_slow = true, .find = [directory = findings_->found.input.directory, part = std::move(part)] {
                return answer_of(statistics_document(directory, part));
              }};
}

LiveTrace::Reply LiveTrace::states() {
  if (!recording_.is_over()) return Task{.is_slow = false, .find = [this] { return answer_of(states_.document()); }};
  return explain([](const WholeBlame& blame) { return blame.states(); });
}

Answer LiveTrace::placement() const {
  if (!findings_->trials) return {without_placements(recording_.info(), findings_->trials.error().what), {}};
  Json document = placements_document(**findings_->trials, findings_->to_s);
  const std::lock_guard held(search_->mutex);
  document["best"] = search_->best;
  if (search_->is_running)
    document["searching"] =
        static_cast<double>(search_->evaluated) / static_cast<double>(std::max<std::uint64_t>(search_->of, 1));
  if (!search_->why_not.empty()) document["why_not"] = search_->why_not;
  return {std::move(document), {}};
}

// Replays need no lock: findings do not change.
LiveTrace::Reply LiveTrace::of_trial(const Json& params, bool is_slow,
                                     Result<Json> (*find)(const WholeFindings&, const PlacementTrials::Trial&)) const {
  if (!findings_->trials) return findings_->trials.error();
  return Task{.is_slow = is_slow, .find = [whole = findings_, params, find]() -> Result<Answer> {
                const auto trial = (*whole->trials)->read(params);
                if (!trial) return trial.error();
                return answer_of(find(*whole, *trial));
              }};
}

Result<Answer> LiveTrace::begin_search() {
  if (!findings_->trials) return findings_->trials.error();
  {
    const std::lock_guard held(search_->mutex);
    if (search_->is_running) return Answer{{{"searching", true}}, {}};
    search_->is_running = true;
    search_->evaluated = 0;
    search_->of = 0;
    ++search_->changes;
  }
  const auto search_there = [search = search_, whole = findings_, version = version_of(*findings_)] {
    const PlacementTrials& trials = **whole->trials;
    auto best = search_best(trials, [&](std::uint64_t evaluated, std::uint64_t of) {
      search->evaluated = evaluated;
      search->of = of;
    });
    const std::lock_guard held(search->mutex);
    search->is_running = false;
    search->why_not = best ? "" : best.error().what;
    if (best) {
      search->best = *std::move(best);
      search->best["as_of"] = version;
    }
    ++search->changes;
  };
  if (!work_.post(search_there)) {
    const std::lock_guard held(search_->mutex);
    search_->is_running = false;
    return Error{kTooManyWait};
  }
  return Answer{{{"searching", true}}, {}};
}

// In the order of the table of requests, each of its names once.
const LiveTrace::Handler& LiveTrace::handler_of(std::string_view name) {
  using Params = const Json&;
  static constexpr Handler kHandlers[] = {
      {"describe", Of::levels,
       [](LiveTrace& live, Params) -> Reply { return describe_answer(live.recording_, live.state_); }},
      {"overview", Of::run, [](LiveTrace& live, Params params) -> Reply { return live.overview(params); }},
      {"traffic", Of::levels,
       [](LiveTrace& live, Params params) -> Reply { return traffic_answer(params, live.recording_); }},
      {"series", Of::levels,
       [](LiveTrace& live, Params params) -> Reply { return series_answer(params, live.recording_); }},
      {"spacetime", Of::levels,
       [](LiveTrace& live, Params params) -> Reply { return live.space_time_.space_time(params, live.recording_); }},
      {"message", Of::moment,
       [](LiveTrace& live, Params params) -> Reply { return live.space_time_.message(params, live.recording_); }},
      {"event_at", Of::moment,
       [](LiveTrace& live, Params params) -> Reply { return event_at_answer(params, live.recording_); }},
      {"statistics", Of::findings, [](LiveTrace& live, Params params) -> Reply { return live.statistics(params); }},
      {"queues", Of::findings,
       [](LiveTrace& live, Params) -> Reply { return answer_of(queues_document(*live.findings_)); }},
      {"parallelism", Of::findings,
       [](LiveTrace& live, Params) -> Reply { return answer_of(parallelism_document(*live.findings_)); }},
      {"causality", Of::findings,
       [](LiveTrace& live, Params) -> Reply { return answer_of(causality_document(*live.findings_)); }},
      {"blame", Of::findings, [](LiveTrace& live, Params params) -> Reply { return live.blame(params); }},
      {"states", Of::samples, [](LiveTrace& live, Params) -> Reply { return live.states(); }},
      {"paths", Of::findings,
       [](LiveTrace& live, Params params) -> Reply {
         return answer_of(paths_document(*live.findings_, whole_number(params.at("most"))));
       }},
      {"request", Of::findings,
       [](LiveTrace& live, Params params) -> Reply {
         return answer_of(request_diagram(live.findings_->found, whole_number(params.at("number"))));
       }},
      {"placement", Of::findings, [](LiveTrace& live, Params) -> Reply { return live.placement(); }},
      {"predict", Of::findings,
       [](LiveTrace& live, Params params) -> Reply {
         return live.of_trial(params, PlacementTrials::is_slow(params),
                              [](const auto& whole, const auto& trial) { return (*whole.trials)->predict(trial); });
       }},
      {"placement_file", Of::findings,
       [](LiveTrace& live, Params params) -> Reply {
         return live.of_trial(params, false, [](const auto&, const auto& trial) -> Result<Json> {
           return Json{{"text", PlacementTrials::file_text(trial)}};
         });
       }},
      {"search", Of::findings, [](LiveTrace& live, Params) -> Reply { return live.begin_search(); }},
      {"levels", Of::levels,
       [](LiveTrace& live, Params params) -> Reply { return levels_answer(params, live.recording_, live.best_); }}};
  static_assert(std::ranges::equal(kHandlers, view::kRequests, {}, &Handler::name, &view::Request::name),
                "each request of view/answers/request_table.hpp has its handler, in the same order");
  return *std::ranges::find(kHandlers, name, &Handler::name);
}

LiveTrace::Reply LiveTrace::dispatch(const Handler& handler, Of of, const PageRequest& request) {
  if (of == Of::run || of == Of::findings) take_whole();
  if (of == Of::findings && findings_ == nullptr) return computing();
  const bool is_kept = of == Of::levels || of == Of::run;
  if (is_kept)
    if (const Answer* known = latest_.find(request, state_.version)) return *known;
  Reply reply = handler.ask(*this, request.params);
  if (is_kept)
    if (const auto* answer = std::get_if<Result<Answer>>(&reply); answer != nullptr && *answer)
      latest_.keep(request, **answer);
  return reply;
}

void LiveTrace::stamp(Reply& reply, Of of) const {
  const bool is_of_findings = of == Of::findings && findings_ != nullptr;
  const auto version = [&](const Answer* answer) { return is_of_findings ? as_of_findings(answer) : as_of(); };
  if (auto* task = std::get_if<Task>(&reply)) {
    task->find = [find = std::move(task->find), known = version(nullptr)] { return stamped(find(), known); };
  } else {
    auto& answer = std::get<Result<Answer>>(reply);
    Json known = version(answer ? &*answer : nullptr);
    answer = stamped(std::move(answer), std::move(known));
  }
}

LiveTrace::Reply LiveTrace::reply_to(const PageRequest& request) {
  auto params = view::read_parameters(request);
  if (!params) return params.error();
  const auto held = lock();
  const auto began = TickPace::Clock::now();
  const Handler& handler = handler_of(request.name);
  const Of of = handler.of == Of::samples ? (recording_.is_over() ? Of::findings : Of::moment) : handler.of;
  Reply reply = dispatch(handler, of, {request.name, *std::move(params)});
  stamp(reply, of);
  pace_.answered(TickPace::Clock::now() - began);
  return reply;
}

void LiveTrace::answer(const PageRequest& request, Done done) {
  Reply reply = reply_to(request);
  if (auto* known = std::get_if<Result<Answer>>(&reply)) return done(std::move(*known));
  Task& task = std::get<Task>(reply);
  if (!task.is_slow) return done(task.find());
  if (!work_.post([done, find = std::move(task.find)] { done(find()); })) done(Error{kTooManyWait});
}

std::vector<view::MetricFamily> LiveTrace::metrics() {
  const auto held = lock();
  return live_metrics(recording_.levels(), recording_.trace_info(), recording_.ledger());
}

}  // namespace dpm::cli

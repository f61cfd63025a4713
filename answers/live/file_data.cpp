#include "answers/live/file_data.hpp"

#include <optional>
#include <utility>

#include "answers/live/best_curve.hpp"
#include "answers/live/levels_answer.hpp"
#include "answers/live/placement_answers.hpp"
#include "answers/live/run_answers.hpp"
#include "answers/live/space_time_answers.hpp"
#include "answers/live/whole_blame.hpp"
#include "answers/live/whole_trace.hpp"
#include "answers/reading/trace_input.hpp"
#include "view/answers/requests.hpp"

namespace dpm::cli {
namespace {

using view::Json;

constexpr std::size_t kArcsMost = 6'000;  // single messages in a file: about a megabyte

// What a viewer's request would ask with.
Json in_bins(const char* request) { return view::read_parameters({request, {{"width", 400}}}).value(); }

Json as_json(view::Answer answer) {
  return answer.arrays.empty() ? std::move(answer.json) : Json::parse(view::to_json(answer));
}

// The widest window around the middle of the run whose events are few enough to be shown one by one.
std::optional<Json> single_events(LiveRecording& recording) {
  SpaceTimeAnswers space_time;
  const double to_s = recording.now().seconds();
  for (double part = 1; part * to_s > 1e-9; part /= 2) {
    const double from_s = to_s * (1 - part) / 2;
    // A damaged trace may be longer than a viewer can ask for.
    const auto asked = view::read_parameters({"spacetime", {{"from_s", from_s}, {"to_s", from_s + part * to_s}}});
    if (!asked) continue;
    const auto answer = space_time.space_time(*asked, recording);
    if (!answer) return std::nullopt;
    Json events = as_json(*answer);
    if (!events.value("exact", false) || events["arc_from"].size() > kArcsMost) continue;
    events["from_s"] = from_s;
    events["to_s"] = from_s + part * to_s;
    return events;
  }
  return std::nullopt;
}

Json placement_of(const WholeFindings& whole, double run_s) {
  const TraceInfo& info = whole.found.input.info;
  if (!whole.trials) return without_placements(info, whole.trials.error().what);
  Json document = placements_document(**whole.trials, run_s);
  document["best"] = nullptr;
  return document;
}

Json as_of(const LiveRecording& recording) {
  const Ledger& ledger = recording.ledger();
  return version_json({.events = ledger.kept - ledger.removed, .to_s = recording.now().seconds()});
}

Json answers_of(const LiveRecording& recording, const WholeFindings& whole) {
  const LiveState state{.source = {},
                        .version = 1,
                        .dpm = DPM_VERSION,
                        .is_analysed = true,
                        .no_predictions = whole.trials ? "" : whole.trials.error().what};
  Json answers = {{"describe", as_json(describe_answer(recording, state))},
                  {"placement", placement_of(whole, recording.now().seconds())}};
  if (auto queues = queues_document(whole)) answers["queues"] = *std::move(queues);
  if (whole.found.blame) answers["blame"] = blame_section_json(*whole.found.blame, whole.found.input.info);
  if (auto paths = paths_document(whole, 40)) answers["paths"] = *std::move(paths);
  answers["overview"] = as_json(overview_answer(in_bins("overview"), recording, &whole, {}));
  if (!answers["overview"]["P_best"].is_null()) answers["overview"]["P_best_as_of"] = as_of(recording);
  return answers;
}

}  // namespace

void FileData::add_to(Asked& asked) {
  asked.blame = true;
  asked.computations.push_back(predicted_);
  asked.sinks.push_back(this);
  asked.queue_sinks.push_back(queues_.get());
}

void FileData::on_begin(const TraceInfo& info) {
  levels_->on_begin(info);
  endings_.on_begin(info);
}

void FileData::on_events(std::span<const Event> batch) {
  seen_ += batch.size();
  if (seen_ > kEventsMost) {
    events_ = {};
    return;
  }
  levels_->on_events(batch);
  endings_.on_events(batch);
  events_.insert(events_.end(), batch.begin(), batch.end());
}

void FileData::on_end(const LossReport& losses) {
  events_.shrink_to_fit();
  levels_->on_end(losses);
  endings_.on_end(losses);
}

Json FileData::take(Findings& found) {
  if (events_.empty()) return nullptr;
  WholeFindings whole;
  whole.found = std::move(found);
  whole.is_final = true;
  const TraceInput& input = whole.found.input;
  const auto history = whole.found.histories.of(predicted_);
  if (history) {
    whole.caveats = find_trace_caveats(input, **history, endings_, {}).sentences;
    whole.trials = PlacementTrials::make(*history, input.info);
  } else {
    whole.trials = history.error();
  }
  LiveRecording recording(std::move(levels_), input.info, input.ledger, std::move(events_));
  recording.use_queues(queues_, recording.now());
  Json data = nullptr;
  if (recording.now().ns > 0) {
    data = {{"as_of", as_of(recording)},
            {"answers", answers_of(recording, whole)},
            {"levels", as_json(levels_answer(in_bins("levels"), recording, {}))}};
    if (auto events = single_events(recording)) data["spacetime"] = *std::move(events);
  }
  found = std::move(whole.found);
  return data;
}

Json file_data(const std::string& path) {
  const auto opened = FollowedEvents::open(path);
  if (!opened) return nullptr;
  FileData data(opened->info().properties.scripted);
  Asked asked;
  data.add_to(asked);
  auto found = find_all(path, std::move(asked));
  return found ? data.take(*found) : Json(nullptr);
}

}  // namespace dpm::cli

#include "answers/live/whole_trace.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "analysis/statistics/threads.hpp"
#include "answers/reading/part_reading.hpp"
#include "answers/reading/trace_input.hpp"
#include "answers/results/causality_results.hpp"
#include "answers/results/ledger_results.hpp"
#include "answers/results/parallelism_results.hpp"
#include "answers/results/queues_results.hpp"
#include "answers/results/statistics_results.hpp"

namespace dpm::cli {
namespace {

using view::Json;

constexpr int kPauseFactor = 50;
constexpr std::chrono::seconds kPauseLeast{
    1};                        // a viewer asks for a placement, and then for its prediction: of the same version
constexpr int kNiceness = 10;  // answers come first
constexpr int kSteps = 3;      // after the reading: the findings, where time went, the replays of predictions

class EventCounter : public EventSink {
 public:
  explicit EventCounter(std::atomic<std::uint64_t>& count) : count_(count) {}
  void on_begin(const TraceInfo&) override {}
  void on_events(std::span<const Event> batch) override { count_ += batch.size(); }
  void on_end(const LossReport&) override {}

 private:
  std::atomic<std::uint64_t>& count_;
};

std::string first_missing(const Findings& found, const char* otherwise) {
  return found.missing.empty() ? otherwise : found.missing.front();
}

}  // namespace

WholeTrace::~WholeTrace() = default;

std::optional<std::string> WholeTrace::refusal() const {
  const std::lock_guard lock(mutex_);
  return findings_ ? std::nullopt : refusal_;
}

double WholeTrace::computed_share() const {
  const auto expected = static_cast<double>(std::max<std::uint64_t>(events_expected_, 1));
  const double reading = std::min(1., static_cast<double>(events_read_) / expected);
  return std::min(.99, (reading + steps_done_) / (1 + kSteps));
}

std::shared_ptr<WholeFindings> WholeTrace::ask(const Now& now) {
  const std::lock_guard lock(mutex_);
  const bool is_final = findings_ && findings_->is_final;
  const bool is_news = !findings_ || now.events != events_of_findings_ || (now.is_over && !is_final);
  if (is_busy_ || !is_news || (Clock::now() < next_ && !now.is_over)) return findings_;
  if (refusal_ && now.is_over && is_final) return findings_;
  if (now.events == 0) {
    refusal_ = "nothing has been recorded yet";
    return findings_;
  }
  if (now.events > kEventsMost) {
    refusal_ = fmt::format("{} events are too many to analyse in this page; the commands of dpm have no such limit",
                           now.events);
    return findings_;
  }
  if (refusal_ && now.is_over && events_of_findings_ == now.events) return findings_;
  refusal_.reset();
  events_of_findings_ = now.events;
  events_read_ = 0;
  steps_done_ = 0;
  events_expected_ = now.events;
  is_busy_ = true;
  thread_ = std::jthread([this, now] {
    ::setpriority(PRIO_PROCESS, 0, kNiceness);  // on Linux: of this thread
    compute(now);
    is_busy_ = false;
  });
  return findings_;
}

void WholeTrace::compute(const Now& now) {
  const auto began = Clock::now();
  auto whole = std::make_shared<WholeFindings>();
  whole->is_final = now.is_over;
  whole->levels = std::make_unique<LevelsAnalysis>();
  EventCounter counter(events_read_);
  Endings endings;
  const Computation predicted{.only = {}, .all_processes = now.is_scripted, .external_time = false};
  if (now.events <= WholeBlame::kEventsMost) whole->blame = std::make_unique<WholeBlame>();
  std::vector<EventSink*> sinks = {whole->levels.get(), &counter, &endings};
  if (whole->blame)
    for (EventSink* sink : whole->blame->sinks()) sinks.push_back(sink);
  FindingsReader reader({.history = {},
                         .method = SharingMethod::replay,
                         .causality = {},
                         .by_thread = false,
                         .computations = {predicted},
                         .sinks = std::move(sinks),
                         .queue_sinks = {whole->queues.get()}});
  auto input = read_trace(path_, reader.sinks(), ReceiveLength::of_message, ProgressShown::nowhere);
  auto found = input ? reader.take(*std::move(input)) : Result<Findings>(input.error());
  ++steps_done_;
  if (found) {
    whole->found = *std::move(found);
    const Ledger& ledger = whole->found.input.ledger;
    whole->events = ledger.kept - ledger.removed;
    if (whole->levels->events() > 0) whole->to_s = whole->levels->offsets().last().seconds();
    if (whole->blame) whole->blame->finish(whole->found.input);
    ++steps_done_;
    const auto history = whole->found.histories.of(predicted);
    if (history) {
      // A program that still runs has not ended, which is as it should be.
      const Endings& ended = now.is_over ? endings : Endings();
      whole->caveats = find_trace_caveats(whole->found.input, **history, ended, {}).sentences;
      whole->trials = PlacementTrials::make(*history, whole->found.input.info);
    } else {
      whole->trials = history.error();
    }
  }
  const std::lock_guard lock(mutex_);
  next_ = Clock::now() + std::max<Clock::duration>(kPauseLeast, kPauseFactor * (Clock::now() - began));
  if (found) {
    findings_ = std::move(whole);
  } else {
    refusal_ = found.error().what;
  }
}

Result<Json> statistics_document(const WholeFindings& whole) {
  return statistics_json(whole.found.statistics, whole.found.input.info, whole.found.input.ledger);
}

Result<Json> statistics_document(const std::string& directory, const TracePart& part) {
  PartReading reading(part);
  StatisticsAnalysis analysis;
  const auto input = reading.read(directory, {&analysis});
  if (!input) return input.error();
  return statistics_json(sum_threads(analysis.result(), input->info), input->info, input->ledger);
}

Result<Json> queues_document(const WholeFindings& whole) {
  return queues_json(whole.found.queues, whole.found.input.info, whole.found.input.ledger);
}

Result<Json> parallelism_document(const WholeFindings& whole) {
  if (!whole.found.parallel) return Error{first_missing(whole.found, "the trace shows no parallelism")};
  const ParallelismFindings& found = *whole.found.parallel;
  Json document = parallelism_json(found.parallelism, found.efficiency, found.path, found.history->info);
  document["ledger"] = ledger_json(whole.found.input.ledger);
  return document;
}

Result<Json> causality_document(const WholeFindings& whole) {
  if (!whole.found.causality)
    return Error{first_missing(whole.found, "no process outside makes requests, so there are no paths of requests")};
  return causality_json(*whole.found.causality, whole.found.input.info, whole.found.input.ledger);
}

Result<Json> paths_document(const WholeFindings& whole, std::size_t most) {
  if (!whole.found.causality)
    return Error{first_missing(whole.found, "no process outside makes requests, so there are no paths of requests")};
  const Causality& causality = *whole.found.causality;
  const TraceInfo& info = whole.found.input.info;
  std::map<ProcessId, std::size_t> index;
  Json nodes = Json::array(), arcs = Json::array(), paths = Json::array();
  const auto node_of = [&](ProcessId process) {
    const auto [node, is_new] = index.try_emplace(process, index.size());
    if (is_new) {
      const bool is_known = process.value < info.processes.size();
      nodes.push_back({{"process", is_known ? Json(process.value) : Json()},
                       {"label", is_known ? info[process].name : "requests"},
                       {"note", process.value < causality.letters.size() ? causality.letters[process.value] : ""}});
    }
    return node->second;
  };
  for (const StateArc& arc : causality.states)
    arcs.push_back({{"from", node_of(arc.from)},
                    {"to", node_of(arc.to)},
                    {"probability", arc.probability},
                    {"messages", arc.count}});
  std::vector<const CausalPath*> strings;
  std::uint64_t all = causality.strings_not_stored;
  for (const CausalPath& path : causality.strings) {
    strings.push_back(&path);
    all += path.count;
  }
  std::stable_sort(strings.begin(), strings.end(), [](const auto* a, const auto* b) { return a->count > b->count; });
  for (std::size_t i = 0; i < std::min(most, strings.size()); ++i)
    paths.push_back(
        {{"text", strings[i]->path},
         {"count", strings[i]->count},
         {"share", static_cast<double>(strings[i]->count) / static_cast<double>(std::max<std::uint64_t>(all, 1))}});
  return Json{{"states", {{"nodes", std::move(nodes)}, {"arcs", std::move(arcs)}}},
              {"paths", std::move(paths)},
              {"requests", causality.requests}};
}

}  // namespace dpm::cli

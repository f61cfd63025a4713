#include "answers/kept/results_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cstring>
#include <memory>
#include <utility>

#include "analysis/statistics/threads.hpp"
#include "answers/live/levels_answer.hpp"
#include "answers/live/run_answers.hpp"
#include "answers/results/queues_results.hpp"
#include "answers/results/statistics_results.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"
#include "trace/sidecar.hpp"
#include "view/answers/requests.hpp"

namespace dpm::cli {
namespace {

using view::Json;

constexpr std::uint32_t kVersion = 1;
constexpr std::size_t kBytesMost = std::size_t{1} << 30;
enum Part { kJson, kStatistics, kQueues, kWaits, kParts };

struct Head {
  std::array<char, 12> magic{};
  std::uint32_t version = kVersion;
  std::uint64_t shape = 0, checksum = 0;
  std::array<std::uint64_t, kParts> sizes{};
};
static_assert(kResultsMagic.size() == sizeof(Head::magic) && std::is_trivially_copyable_v<Head>);

// Of what is written as it lies in memory.
constexpr std::uint64_t shape_of_this_version() {
  std::uint64_t shape = 1;
  for (const std::size_t bytes :
       {sizeof(ProcessStatistics), sizeof(Traffic), sizeof(MessageSizes), sizeof(MachineSums),
        sizeof(MachineStatistics), sizeof(QueueStatistics), sizeof(OwnWaits), sizeof(Event), sizeof(void*)})
    shape = shape * 1'000'003 + bytes;
  return shape;
}

// FNV-1a, of eight bytes at a time.
std::uint64_t checksum_of(std::string_view text) {
  std::uint64_t sum = 14'695'981'039'346'656'037u;
  while (!text.empty()) {
    std::uint64_t word = 0;
    const std::size_t bytes = std::min(text.size(), sizeof word);
    std::memcpy(&word, text.data(), bytes);
    sum = (sum ^ word) * 1'099'511'628'211u;
    text.remove_prefix(bytes);
  }
  return sum;
}

Json as_json(view::Answer answer) {
  return answer.arrays.empty() ? std::move(answer.json) : Json::parse(view::to_json(answer));
}

Json in_bins(const char* request) { return view::read_parameters({request, {{"width", 400}}}).value(); }

// What the page shows without a server: sums over time, statistics and queues. What needs a graph is not in it.
Json page_of(ResultsRecorder& recorder, const TraceInfo& info, const Ledger& ledger) {
  auto levels = std::make_unique<LevelsAnalysis>(recorder.levels());
  levels->settle_offsets();
  const LiveRecording recording(std::move(levels), info, ledger, {});
  if (recording.is_empty() || recording.now().ns <= 0) return nullptr;
  const LiveState state{.source = {},
                        .version = 1,
                        .dpm = DPM_VERSION,
                        .is_analysed = true,
                        .no_predictions = "a prediction replays the trace, and only results were kept"};
  Queues queues = recorder.queues().result();
  queues.own_waits = recorder.waits().result(info);
  return {{"as_of", version_json({.events = ledger.kept, .to_s = recording.now().seconds()})},
          {"answers",
           {{"describe", as_json(describe_answer(recording, state))},
            {"queues", queues_json(queues, info, ledger)},
            {"statistics", statistics_json(sum_threads(recorder.statistics().result(), info), info, ledger)},
            {"overview", as_json(overview_answer(in_bins("overview"), recording, nullptr, {}))}}},
          {"levels", as_json(levels_answer(in_bins("levels"), recording, {}))}};
}

// As trace.json would have them.
std::string tables_text(const TraceInfo& info, const Ledger& ledger, bool is_over) {
  Sidecar sidecar;
  sidecar.finished = is_over;
  sidecar.info = info;
  sidecar.ledger = ledger;
  const auto layouts = program_event_layouts();
  sidecar.description.layouts.assign(layouts.begin(), layouts.end());
  for (const std::string& filter : info.filters) sidecar.description.filters.push_back({filter, "", {}});
  return to_json(sidecar);
}

std::string_view text_of(const Bytes& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

Bytes given_by(DividedSink& analysis) {
  ByteWriter out;
  analysis.give(out);
  return out.take();
}

Error damaged(const std::string& path) {
  return Error{fmt::format("{}: the file is damaged or incomplete: its checksum does not fit", path)};
}

bool take(DividedSink& analysis, const TraceInfo& info, std::string_view bytes, const Ledger& ledger) {
  analysis.on_begin(info);
  ByteReader in(std::as_bytes(std::span(bytes)));
  analysis.take(in);
  if (!in.ok() || !in.at_end()) return false;
  analysis.on_end({ledger.seen, ledger.losses, ledger.warnings});
  return true;
}

}  // namespace

Result<void> write_results(const std::string& path, ResultsRecorder& recorder, const Ledger& ledger, bool is_over) {
  const TraceInfo info = recorder.info();
  const Json document = {{"dpm", DPM_VERSION},
                         {"trace", Json::parse(tables_text(info, ledger, is_over))},
                         {"page", page_of(recorder, info, ledger)}};
  const std::string json = document.dump(-1, ' ', false, Json::error_handler_t::replace);
  const Bytes statistics = given_by(recorder.statistics()), queues = given_by(recorder.queues()),
              waits = given_by(recorder.waits());
  const std::array<std::string_view, kParts> parts = {json, text_of(statistics), text_of(queues), text_of(waits)};
  std::string text(sizeof(Head), '\0');
  Head head;
  std::memcpy(head.magic.data(), kResultsMagic.data(), head.magic.size());
  head.shape = shape_of_this_version();
  for (std::size_t i = 0; i < parts.size(); ++i) {
    head.sizes[i] = parts[i].size();
    text += parts[i];
  }
  head.checksum = checksum_of(std::string_view(text).substr(sizeof head));
  std::memcpy(text.data(), &head, sizeof head);
  return replace_file(path, text);
}

Result<std::unique_ptr<KeptResults>> read_results(const std::string& path) {
  auto text = read_text_file(path, kBytesMost);
  if (!text) return text.error();
  Head head;
  if (text->size() < sizeof head) return damaged(path);
  std::memcpy(&head, text->data(), sizeof head);
  std::string_view left = std::string_view(*text).substr(sizeof head);
  const auto json_bytes = std::min<std::uint64_t>(head.sizes[kJson], left.size());
  if (head.checksum != checksum_of(left)) return damaged(path);
  const Json document = Json::parse(left.substr(0, json_bytes), nullptr, false);
  if (!document.is_object() || !document.contains("trace") || !document.contains("page")) return damaged(path);
  if (head.version != kVersion || head.shape != shape_of_this_version())
    return Error{
        fmt::format("{}: dpm {} wrote it, and this is dpm {}: read it with that version, which knows its numbers", path,
                    document.value("dpm", "of another version"), DPM_VERSION)};
  std::array<std::string_view, kParts> parts;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (head.sizes[i] > left.size()) return damaged(path);
    parts[i] = left.substr(0, head.sizes[i]);
    left.remove_prefix(head.sizes[i]);
  }
  auto tables = sidecar_from_json(path, document.at("trace").dump());
  if (!tables) return tables.error();
  auto kept = std::make_unique<KeptResults>();
  kept->info = std::move(tables->info);
  kept->ledger = std::move(tables->ledger);
  kept->is_over = tables->finished;
  kept->page = document.at("page");
  if (!take(kept->statistics, kept->info, parts[kStatistics], kept->ledger) ||
      !take(kept->queues, kept->info, parts[kQueues], kept->ledger) ||
      !take(kept->waits, kept->info, parts[kWaits], kept->ledger))
    return damaged(path);
  return kept;
}

}  // namespace dpm::cli

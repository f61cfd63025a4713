#include "cli/live/file_data.hpp"

#include <chrono>
#include <optional>
#include <thread>

#include "cli/live/live_trace.hpp"

namespace dpm::cli {
namespace {

using view::Json;

constexpr std::uint64_t kEventsMost = 2'000'000;  // reading these again takes a second or two
constexpr std::size_t kBins = 400;
constexpr std::size_t kArcsMost = 6'000;  // single messages in a file: about a megabyte

Json as_json(const view::Answer& answer) { return Json::parse(view::to_json(answer)); }

// An answer that may still be computed is waited for: it takes as long as the analysis itself. None: the trace has no such answer.
std::optional<Json> answer_of(LiveTrace& trace, const std::string& name, Json params = Json::object()) {
  for (;;) {
    const auto answer = trace.answer_now({name, params});
    if (!answer) return std::nullopt;
    if (!answer->json.contains("computing")) return as_json(*answer);
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// The widest window around the middle of the run whose events are few enough to be shown one by one.
std::optional<Json> single_events(LiveTrace& trace, double to_s) {
  for (double part = 1; part * to_s > 1e-9; part /= 2) {
    const double from_s = to_s * (1 - part) / 2;
    auto events = answer_of(trace, "spacetime", {{"from_s", from_s}, {"to_s", from_s + part * to_s}});
    if (!events) return std::nullopt;
    if (!events->value("exact", false) || (*events)["arc_from"].size() > kArcsMost) continue;
    (*events)["from_s"] = from_s;
    (*events)["to_s"] = from_s + part * to_s;
    return events;
  }
  return std::nullopt;
}

}  // namespace

Json file_data(const std::string& path) {
  auto opened = LiveTrace::open(path, {.levels = {}, .source = {}, .dpm = DPM_VERSION});
  if (!opened) return nullptr;
  LiveTrace& trace = **opened;
  if (trace.read(kEventsMost)) return nullptr;
  if (!answer_of(trace, "statistics")) return nullptr;  // the whole trace has been analysed from here on
  Json answers = Json::object();
  for (const char* name : {"describe", "queues", "paths", "placement"})
    if (auto answer = answer_of(trace, name)) answers[name] = *std::move(answer);
  if (auto overview = answer_of(trace, "overview", {{"width", kBins}})) answers["overview"] = *std::move(overview);
  const double now_s = answers.contains("describe") ? answers["describe"].value("now_s", 0.) : 0;
  if (now_s <= 0) return nullptr;
  Json data = {{"answers", std::move(answers)}};
  if (auto levels = answer_of(trace, "levels", {{"width", kBins}})) data["levels"] = *std::move(levels);
  if (auto events = single_events(trace, now_s)) data["spacetime"] = *std::move(events);
  return data;
}

}  // namespace dpm::cli

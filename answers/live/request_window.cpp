#include "answers/live/request_window.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "answers/live/rows.hpp"

namespace dpm::cli {
namespace {

constexpr std::int64_t kFarNs = std::int64_t{1} << 61;
constexpr std::size_t kTextMost = 4096;

}  // namespace

RunTime RequestWindow::sum_from() const { return begins_with_run ? RunTime{-kFarNs} : from; }
RunTime RequestWindow::sum_to() const { return ends_with_run ? RunTime{kFarNs} : to; }

WindowBins cut(const RequestWindow& window, const LevelsAnalysis& levels, std::size_t most) {
  const std::int64_t span_ns = window.to.ns - window.from.ns;
  const auto finest = static_cast<std::size_t>(std::max<std::int64_t>(span_ns / levels.width_ns_at(window.from), 1));
  const std::size_t bins = std::max<std::size_t>(std::min(most, finest), 1);
  WindowBins cut{.edges = std::vector<RunTime>(bins + 1), .left_s = std::vector<double>(bins), .step_s = 0};
  cut.step_s = window.span_s() / static_cast<double>(bins);
  for (std::size_t i = 0; i <= bins; ++i) {
    const double share = static_cast<double>(i) / static_cast<double>(bins);
    cut.edges[i].ns = window.from.ns + static_cast<std::int64_t>(static_cast<double>(span_ns) * share);
    if (i < bins) cut.left_s[i] = cut.edges[i].seconds();
  }
  cut.edges.front() = window.sum_from();
  cut.edges.back() = window.sum_to();
  return cut;
}

Result<ProcessId> process_of(const view::Json& value, const TraceInfo& info) {
  const auto number = value.get<std::uint64_t>();
  if (number == kOutside.value) return kOutside;
  if (number >= info.processes.size()) return Error{fmt::format("there is no process {}", number)};
  return ProcessId{static_cast<std::uint32_t>(number)};
}

RequestWindow window_of(const view::Json& params, const LiveRecording& recording) {
  RequestWindow window;
  const RunTime now = recording.is_empty() ? RunTime{} : recording.now();
  const double from_s = params.at("from_s");
  const double to_s = params.value("to_s", now.seconds() + 1e-9);
  window.from = std::max(RunTime::from_seconds(from_s), RunTime{});
  window.to = std::max(std::min(RunTime::from_seconds(to_s), RunTime{now.ns + 1}), RunTime{window.from.ns + 1});
  window.width = static_cast<std::size_t>(params.value("width", 1.));
  window.begins_with_run = from_s <= 0;
  window.ends_with_run = window.to > now;
  window.threads = params.value("threads", false);
  return window;
}

std::string page_text(const std::string& name) { return name.size() <= kTextMost ? name : name.substr(0, kTextMost); }

}  // namespace dpm::cli

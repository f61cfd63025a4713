#include "answers/live/request_window.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answers/live/rows.hpp"

namespace dpm::cli {
namespace {

constexpr double kFarthest_s = 2e9;  // 63 years
constexpr std::int64_t kFarNs = std::int64_t{1} << 61;
constexpr std::size_t kTextMost = 4096;

}  // namespace

RunTime RequestWindow::sum_from() const { return begins_with_run ? RunTime{-kFarNs} : from; }
RunTime RequestWindow::sum_to() const { return ends_with_run ? RunTime{kFarNs} : to; }

WindowBins cut(const RequestWindow& window, const LevelsAnalysis& levels, std::size_t most) {
  const std::int64_t span_ns = window.to.ns - window.from.ns;
  const auto finest = static_cast<std::size_t>(std::max<std::int64_t>(span_ns / levels.width_ns_at(window.from), 1));
  const std::size_t bins = std::clamp<std::size_t>(std::min(most, finest), 1, RequestWindow::kWidthMost);
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

Result<double> number_of(const view::Json& params, const char* name, double otherwise, double least, double most) {
  const auto found = params.find(name);
  if (found == params.end() || found->is_null()) return otherwise;
  const bool is_number = found->is_number() && std::isfinite(found->get<double>());
  if (!is_number) return Error{fmt::format("'{}' must be a number", name)};
  const double number = found->get<double>();
  if (number < least || number > most) return Error{fmt::format("'{}' must be from {} to {}", name, least, most)};
  return number;
}

Result<ProcessId> process_of(const view::Json& value, const TraceInfo& info) {
  if (value.is_number_integer() && value.get<std::int64_t>() == kOutside.value) return kOutside;
  const std::int64_t number = value.is_number_integer() ? value.get<std::int64_t>() : -1;
  const bool is_known = number >= 0 && static_cast<std::uint64_t>(number) < info.processes.size();
  if (!is_known)
    return Error{
        fmt::format("there is no process {}", value.dump(-1, ' ', true, view::Json::error_handler_t::replace))};
  return ProcessId{static_cast<std::uint32_t>(number)};
}

Result<RequestWindow> read_window(const view::Json& params, const LiveRecording& recording) {
  RequestWindow window;
  const RunTime now = recording.is_empty() ? RunTime{} : recording.now();
  const double end_s = now.seconds() + 1e-9;
  const auto from_s = number_of(params, "from_s", 0, -kFarthest_s, kFarthest_s);
  const auto to_s = number_of(params, "to_s", end_s, -kFarthest_s, kFarthest_s);
  const auto width = number_of(params, "width", 512, 1, RequestWindow::kWidthMost);
  for (const auto* number : {&from_s, &to_s, &width})
    if (!*number) return number->error();
  window.from = std::max(RunTime::from_seconds(*from_s), RunTime{});
  window.to = std::max(std::min(RunTime::from_seconds(*to_s), RunTime{now.ns + 1}), RunTime{window.from.ns + 1});
  window.width = static_cast<std::size_t>(*width);
  window.begins_with_run = *from_s <= 0;
  window.ends_with_run = window.to > now;
  const auto threads = params.find("threads");
  window.threads = threads != params.end() && threads->is_boolean() && threads->get<bool>();
  return window;
}

std::string page_text(const std::string& name) { return name.size() <= kTextMost ? name : name.substr(0, kTextMost); }

}  // namespace dpm::cli

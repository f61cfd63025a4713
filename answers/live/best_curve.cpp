#include "answers/live/best_curve.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/history/history.hpp"
#include "analysis/history/target.hpp"
#include "analysis/messages/message_resolver.hpp"
#include "analysis/parallelism/parallelism.hpp"
#include "model/metered_cpu.hpp"

namespace dpm::cli {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t kEventsLeast = 20;
constexpr std::int64_t kBehindMost = 64;  // parts

// The events in the window, as if no process had used CPU time before.
std::vector<Event> events_inside(const LiveRecording::Window& window, RunTime from, RunTime to, const TraceInfo& info) {
  std::vector<Event> inside;
  CpuOfStretch cpu(info);
  for (std::size_t i = 0; i < window.events.size(); ++i) {
    if (window.times_ns[i] < from.ns || window.times_ns[i] >= to.ns) continue;
    inside.push_back(window.events[i]);
    cpu.begin_here(inside.back());
  }
  return inside;
}

template <typename Sink>
void play(const std::vector<Event>& events, const TraceInfo& info, Sink& sink) {
  sink.on_begin(info);
  sink.on_events(events);
  sink.on_end({.seen = events.size(), .losses = {}, .warnings = {}});
}

double mean(double a, double b) { return std::isnan(a) ? b : std::isnan(b) ? a : (a + b) / 2; }

}  // namespace

std::optional<double> best_P(const LiveRecording::Window& window, RunTime from, RunTime to, const TraceInfo& info) {
  const std::vector<Event> events = events_inside(window, from, to, info);
  if (events.size() < kEventsLeast) return std::nullopt;
  HistoryBuilder builder;
  if (has_live_channels(info)) {
    MessageSurvey survey;
    play(events, info, survey);
    MessageResolver resolver(std::move(survey), builder);
    play(events, info, resolver);
  } else {
    play(events, info, builder);
  }
  const auto history = builder.take();
  if (!history) return std::nullopt;
  const auto parallelism = measure_parallelism(*history, traced_target(*history));
  if (!parallelism || parallelism->no_delay.t_max_s <= 0) return std::nullopt;
  return parallelism->no_delay.P;
}

std::optional<BestCurve::Part> BestCurve::next(RunTime now) {
  const auto begin_ns = [this] { return static_cast<std::int64_t>(parts_.size()) * width_ns_; };
  while ((now.ns - begin_ns()) / width_ns_ > kBehindMost) widen();
  if (begin_ns() + width_ns_ > now.ns) return std::nullopt;
  return Part{{begin_ns()}, {begin_ns() + width_ns_}};
}

void BestCurve::add(std::optional<double> P) {
  parts_.push_back(P.value_or(kUnknown));
  if (parts_.size() >= kPartsMost) widen();
}

// The last of an odd number of parts is looked at again.
void BestCurve::widen() {
  for (std::size_t i = 0; i < parts_.size() / 2; ++i) parts_[i] = mean(parts_[2 * i], parts_[2 * i + 1]);
  parts_.resize(parts_.size() / 2);
  width_ns_ *= 2;
}

std::vector<double> BestCurve::between(std::span<const RunTime> edges) const {
  std::vector<double> values;
  for (std::size_t i = 0; i + 1 < edges.size(); ++i) {
    const auto from_ns = std::max<std::int64_t>(edges[i].ns, 0);
    const auto first = static_cast<std::size_t>(from_ns / width_ns_);
    // A bin that is narrower than a part shows the part that it is in.
    const auto last = std::max(first + 1, static_cast<std::size_t>(std::max(edges[i + 1].ns, from_ns) / width_ns_));
    double sum = 0;
    std::size_t known = 0;
    for (std::size_t part = first; part < std::min(last, parts_.size()); ++part) {
      if (std::isnan(parts_[part])) continue;
      sum += parts_[part];
      ++known;
    }
    values.push_back(known > 0 ? sum / static_cast<double>(known) : kUnknown);
  }
  return values;
}

std::optional<LiveRecording::Window> sample_of(BestCurve::Part& part, LiveRecording& recording) {
  for (int narrower = 0; narrower < 24; ++narrower) {
    auto window = recording.events_of(part.from, part.to, LiveRecording::kSampleReadMost);
    if (window && window->inside <= BestCurve::kEventsMost) return window;
    const std::int64_t quarter_ns = (part.to.ns - part.from.ns) / 4;
    part.from.ns += quarter_ns;
    part.to.ns -= quarter_ns;
  }
  return std::nullopt;
}

}  // namespace dpm::cli

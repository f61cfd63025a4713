#include "answers/reading/event_progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "text/number_text.hpp"

namespace dpm::cli {
namespace {

constexpr double kBetween_s = .25;

}  // namespace

double EventProgress::steady_clock_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

EventProgress::EventProgress(EventSink& sink, Say say, std::string doing, End end, Clock clock)
    : sink_(sink),
      say_(std::move(say)),
      doing_(std::move(doing)),
      end_(end),
      clock_(std::move(clock)),
      began_s_(clock_()),
      shown_s_(began_s_) {}

void EventProgress::on_events(std::span<const Event> batch) {
  sink_.on_events(batch);
  if (batch.empty()) return;
  events_ += batch.size();
  time_s_ = std::max(time_s_, static_cast<double>(batch.back().local_time.ns) * 1e-9);
  const double now_s = clock_();
  if (now_s - shown_s_ < kBetween_s) return;
  shown_s_ = now_s;
  say_(text(now_s - began_s_));
}

std::string EventProgress::text(double elapsed_s) const {
  std::string text = doing_ + ": " + seconds_text(time_s_);
  if (end_.time_s > 0)
    text += fmt::format(" of {} ({})", seconds_text(end_.time_s), percent(std::min(1.0, time_s_ / end_.time_s)));
  text += fmt::format(", {} events", events_);
  if (end_.events > 0)
    text +=
        fmt::format(" ({})", percent(std::min(1.0, static_cast<double>(events_) / static_cast<double>(end_.events))));
  return text + fmt::format(", {:.0f} a second", static_cast<double>(events_) / elapsed_s);
}

}  // namespace dpm::cli

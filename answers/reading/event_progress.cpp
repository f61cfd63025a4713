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
  note_time(batch);
  const double now_s = clock_();
  if (now_s - shown_s_ < kBetween_s) return;
  shown_s_ = now_s;
  say_(text(now_s - began_s_));
}

// A clock may be the clock of the day, or begin when it likes: a time of the run is since the first event of its machine.
void EventProgress::note_time(std::span<const Event> batch) {
  for (const Event& event : {batch.front(), batch.back()}) {
    const std::int64_t now_ns = event.local_time.ns;
    const auto [first, is_new] = first_ns_.try_emplace(event.machine.value, now_ns);
    first->second = std::min(first->second, now_ns);
    time_s_ = std::max(time_s_, static_cast<double>(now_ns - first->second) * 1e-9);
  }
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

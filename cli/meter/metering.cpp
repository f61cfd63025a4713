#include "cli/meter/metering.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "cli/meter/signal_watch.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kTextFileBytesMax = 16 * 1024 * 1024;

// Passes events on, and brings the trace on disk up to date from time to time, so that one can look at a program that
// is still running, and little is lost if this process is killed.
class CheckpointSink : public EventSink {
 public:
  CheckpointSink(EventSink& next, TraceWriter& writer, bool immediate)
      : next_(next), writer_(writer), immediate_(immediate) {}

  void on_begin(const TraceInfo& info) override { next_.on_begin(info); }
  void on_end(const LossReport& losses) override { next_.on_end(losses); }

  void on_events(std::span<const Event> batch) override {
    next_.on_events(batch);
    if (immediate_) writer_.flush();
    const auto now = Clock::now();
    if (now < due_) return;
    writer_.checkpoint();
    // Names are written as a whole: the more there are, the more seldom.
    constexpr int kShare = 50;
    due_ = Clock::now() + std::max<Clock::duration>(std::chrono::seconds(1), kShare * (Clock::now() - now));
  }

 private:
  using Clock = std::chrono::steady_clock;

  EventSink& next_;
  TraceWriter& writer_;
  const bool immediate_;
  Clock::time_point due_ = Clock::now() + std::chrono::seconds(1);
};

bool names_no_event(MeterFlags flags) {
  flags.set_immediate(false);
  return flags.none();
}

}  // namespace

Result<RecordingPlan> plan_recording(const std::string& flags, const std::string& templates) {
  RecordingPlan plan;
  auto named = apply_flags(MeterFlags(), flags);
  if (named && names_no_event(*named)) named = apply_flags(MeterFlags::all(), flags);
  if (!named) return named.error();
  plan.flags = *named;
  if (templates.empty()) {
    plan.rules.push_back(RuleSet::keep_all(event_layouts()));
    return plan;
  }
  const auto text = read_text_file(templates, kTextFileBytesMax);
  if (!text) return text.error();
  auto compiled = RuleSet::compile(templates, *text, event_layouts());
  if (!compiled) return compiled.error();
  plan.rules.push_back(*std::move(compiled));
  return plan;
}

Result<Recorded> record(MeteredProgram program, RecordingPlan plan, const std::string& trace_directory,
                        const std::vector<int>& stop_signals, std::function<void()> on_ready) {
  auto writer = TraceWriter::create(trace_directory, describe_events({"filter"}, plan.rules));
  if (!writer) return writer.error();
  EventFilter filter(std::move(plan.rules), **writer);
  CheckpointSink sink(filter, **writer, plan.flags.immediate());
  Recorded recorded;
  std::atomic<bool> stopped{false};
  LinuxSource source(std::move(program), {.flags = plan.flags}, std::move(on_ready));
  {
    const SignalWatch watch(stop_signals, [&] {
      stopped = true;
      source.stop();
    });
    if (auto done = source.run(sink); !done) recorded.failure = done.error().what;
  }
  if (const auto& written = (*writer)->status(); !written) recorded.failure = written.error().what;
  recorded.ledger = (*writer)->ledger();
  recorded.meter = source.summary();
  recorded.stopped = stopped;
  return recorded;
}

}  // namespace dpm::cli

#include "cli/meter/metering.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "backends/linux/keeper/control_socket.hpp"
#include "backends/linux/keeper/keeper.hpp"
#include "cli/meter/descriptor_watch.hpp"
#include "filter/event_filter.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kTextFileBytesMax = 16 * 1024 * 1024;

// Passes events on, and brings the trace on disk up to date from time to time, so that one can look at a program that
// is still running, and little is lost if this process is killed.
class RecordingSink : public EventSink {
 public:
  RecordingSink(EventSink& next, TraceWriter& writer, bool immediate)
      : next_(next), writer_(writer), immediate_(immediate) {}

  // From any thread.
  std::uint64_t events() const { return events_; }
  void set_immediate(bool on) { immediate_ = on; }

  void on_begin(const TraceInfo& info) override { next_.on_begin(info); }
  void on_end(const LossReport& losses) override { next_.on_end(losses); }

  void on_events(std::span<const Event> batch) override {
    next_.on_events(batch);
    events_ += batch.size();
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
  std::atomic<bool> immediate_;
  std::atomic<std::uint64_t> events_{0};
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
  RecordingSink sink(filter, **writer, plan.flags.immediate());
  const std::uint32_t pid = program.pid;
  const std::string command = program.command;
  SignalDescriptor signals(stop_signals);
  LinuxSource source(std::move(program), {.flags = plan.flags, .callers = plan.callers}, std::move(on_ready));

  Recorded recorded;
  std::atomic<bool> stopped{false};
  MeterFlags flags = plan.flags;  // the watching thread's own
  auto control = ControlServer::open({[&] {
                                        return MeterStatus{pid, command, flags, sink.events()};
                                      },
                                      [&](MeterFlags changed) {
                                        flags = changed;
                                        sink.set_immediate(flags.immediate());
                                        source.set_flags(0, flags);
                                      }});
  std::vector<DescriptorWatch::Watched> watched = {{signals.fd(), [&] {
                                                      stopped = stopped || signals.take();
                                                      source.stop();
                                                    }}};
  if (control) watched.push_back({control->fd(), [&control] { control->handle(); }});
  {
    const DescriptorWatch watch(std::move(watched));
    if (auto done = source.run(sink); !done) recorded.failure = done.error().what;
  }
  if (stopped) {
    if (auto left = leave_to_keeper(source.program()); !left) recorded.failure = left.error().what;
  }
  if (const auto& written = (*writer)->status(); !written) recorded.failure = written.error().what;
  recorded.ledger = (*writer)->ledger();
  if (!control) recorded.ledger.warnings.push_back("flags could not be changed while it ran: " + control.error().what);
  recorded.meter = source.summary();
  recorded.stopped = stopped;
  return recorded;
}

}  // namespace dpm::cli

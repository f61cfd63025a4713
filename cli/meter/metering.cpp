#include "cli/meter/metering.hpp"

#include <unistd.h>

#include <atomic>
#include <ctime>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "cli/meter/command_end.hpp"
#include "cli/meter/descriptor_watch.hpp"
#include "cli/meter/limit_timer.hpp"
#include "cli/meter/meter_connections.hpp"
#include "cli/meter/recording_sink.hpp"
#include "filter/event_filter.hpp"
#include "os/kernel/process_files.hpp"
#include "os/process_handle.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"
#include "trace/read_ledger.hpp"
#include "trace/read_sidecar.hpp"
#include "trace/trace_writer.hpp"

namespace dpm::cli {
namespace {

constexpr std::size_t kTextFileBytesMax = 16 * 1024 * 1024;

std::vector<ProcessLeft> named(const std::vector<std::uint32_t>& pids) {
  std::vector<ProcessLeft> processes;
  for (const std::uint32_t pid : pids) processes.push_back({pid, read_command_name(pid, pid)});
  return processes;
}

bool names_no_event(MeterFlags flags) {
  flags.set_immediate(false);
  return flags.none();
}

void discard_unmeasured_waits(const MeteredFacts& facts, std::vector<RuleSet>& rules) {
  if (facts.waits_are_measured) return;
  for (RuleSet& set : rules)
    for (const char* field : {"readyTime", "diskTime"}) set.discard(event_layouts(), field);
}

// The metering of one program, from its source through the filter into the trace. Three threads use it: the caller's feeds the
// sink; one answers signals, requests and timers; and one waits for the end of the command itself.
class Recording {
 public:
  Recording(MeteredRun& run, RecordingPlan plan, const RecordingSurroundings& around,
            std::unique_ptr<TraceWriter> writer);

  void run_to_end();
  void release_program();
  Recorded result();

 private:
  GrowthSink& growth() { return inside_ ? static_cast<GrowthSink&>(*inside_) : connections_; }
  EventSink& events() { return inside_ ? static_cast<EventSink&>(*inside_) : connections_; }
  MeterControl answers();
  Result<void> set_meter(MeterChange change);
  Result<TraceInfo> names();
  std::vector<DescriptorWatch::Watched> watched();
  std::unique_ptr<CommandEnd> await_command_end();
  void report_left_behind();
  void add_warnings();
  void stop();

  MeteredRun& run_;
  RecordingPlan plan_;
  const RecordingSurroundings& around_;
  std::unique_ptr<TraceWriter> writer_;
  EventFilter filter_;
  RecordingSink sink_;
  MeterConnections connections_;
  std::unique_ptr<InsideRecording> inside_;
  MeterStatus status_;  // the watching thread's own
  UniqueFd command_;
  SignalDescriptor signals_;  // blocked before the source starts its threads
  std::unique_ptr<LiveSource> source_;
  UniqueFd limit_;
  Result<ControlServer> control_;
  std::atomic<bool> stopped_{false};
  Recorded recorded_;
};

Recording::Recording(MeteredRun& run, RecordingPlan plan, const RecordingSurroundings& around,
                     std::unique_ptr<TraceWriter> writer)
    : run_(run),
      plan_(std::move(plan)),
      around_(around),
      writer_(std::move(writer)),
      filter_(std::move(plan_.rules), *writer_),
      sink_(filter_, *writer_, plan_.flags.immediate(), std::move(plan_.chosen), around.listener),
      connections_(sink_, sink_, [this] { return names(); }),
      inside_(plan_.inside ? std::make_unique<InsideRecording>(*plan_.inside, connections_, connections_) : nullptr),
      status_{.pid = run.facts().pid,
              .command = run.facts().command,
              .flags = plan_.flags,
              .since_s = ::time(nullptr),
              .output = around.output},
      command_(open_process(run.facts().pid)),
      signals_(around.stop_signals),
      source_(run.meter({.flags = plan_.flags,
                         .names_to = &growth(),
                         .callers = plan_.callers,
                         .whole_cpu_time = plan_.whole_cpu_time,
                         .summary_interval = plan_.summary_interval})),
      limit_(timer_after(around.limit)),
      control_(ControlServer::open(answers())) {}

MeterControl Recording::answers() {
  return {.status =
              [this] {
                status_.events = sink_.events();
                status_.lost = source_->so_far().losses.lost();
                return status_;
              },
          .set_flags =
              [this](MeterFlags changed) {
                status_.flags = changed;
                sink_.set_immediate(changed.immediate());
                source_->set_flags(0, changed);
              },
          .processes = [this] { return source_->so_far().processes; },
          .stop = [this] { stop(); },
          .set_meter = [this](MeterChange change) { return set_meter(std::move(change)); }};
}

Result<void> Recording::set_meter(MeterChange change) {
  using Connection = MeterChange::Connection;
  if (change.connection == Connection::trace) connections_.disconnect(change.pid);
  if (change.connection == Connection::none || change.connection == Connection::given)
    if (auto done = connections_.connect(change.pid, std::move(change.given)); !done) return done;
  if (!change.flags) return {};
  if (change.flags->immediate()) sink_.set_immediate(true);
  source_->set_flags(change.pid, *change.flags);
  return {};
}

Result<TraceInfo> Recording::names() {
  sink_.checkpoint();
  auto described = read_sidecar(around_.trace);
  if (!described) return described.error();
  return std::move(described->info);
}

std::vector<DescriptorWatch::Watched> Recording::watched() {
  std::vector<DescriptorWatch::Watched> watched = {{signals_.fd(), [this] {
                                                      if (signals_.take()) stop();
                                                    }}};
  if (limit_)
    watched.push_back({limit_.get(), [this] {
                         std::uint64_t times = 0;
                         if (::read(limit_.get(), &times, sizeof times) > 0) stop();
                       }});
  if (sink_.flush_fd() >= 0) watched.push_back({sink_.flush_fd(), [this] { sink_.flush(); }});
  if (control_) watched.push_back({control_->fd(), [this] { control_->handle(); }});
  return watched;
}

std::unique_ptr<CommandEnd> Recording::await_command_end() {
  if (!command_ || !around_.on_left_behind) return nullptr;
  return std::make_unique<CommandEnd>(
      std::move(command_), [this] { return !source_->so_far().processes.empty(); }, [this] { report_left_behind(); });
}

void Recording::report_left_behind() {
  const auto so_far = source_->so_far();
  around_.on_left_behind({.ledger = sink_.complete_so_far(so_far.losses), .meter = so_far.summary},
                         named(so_far.processes));
}

void Recording::stop() {
  stopped_ = true;
  source_->stop();
}

void Recording::run_to_end() {
  const DescriptorWatch watch(watched());
  const auto command_end = await_command_end();
  if (around_.listener != nullptr) around_.listener->begin([this] { return source_->so_far().losses.lost(); });
  if (auto done = source_->run(events()); !done) recorded_.failure = done.error().what;
  if (around_.listener != nullptr) around_.listener->end();
}

// When the metering was stopped, the program goes on without it.
void Recording::release_program() {
  if (!stopped_) return;
  if (auto left = run_.release(); !left) recorded_.failure = left.error().what;
}

Recorded Recording::result() {
  if (const auto& written = writer_->status(); !written) recorded_.failure = written.error().what;
  recorded_.ledger = writer_->ledger();
  add_warnings();
  recorded_.meter = source_->summary();
  recorded_.stopped = stopped_;
  return std::move(recorded_);
}

void Recording::add_warnings() {
  std::vector<std::string>& warnings = recorded_.ledger.warnings;
  if (inside_)
    for (std::string& complaint : inside_->take_complaints()) warnings.push_back(std::move(complaint));
  if (recorded_.ledger.removed > 0)
    warnings.push_back(begins_in_the_middle(recorded_.ledger, plan_.form.window->length));
  if (!control_) warnings.push_back("dpm list, stop and setflags could not reach this meter: " + control_.error().what);
}

}  // namespace

Result<RecordingPlan> plan_recording(const std::string& flags, const std::string& templates,
                                     std::optional<Duration> summary_interval) {
  RecordingPlan plan;
  plan.summary_interval = summary_interval;
  const auto layouts = summary_interval ? event_layouts() : program_event_layouts();
  auto named = apply_flags(MeterFlags(), flags);
  if (named && names_no_event(*named)) named = apply_flags(MeterFlags::all(), flags);
  if (!named) return named.error();
  plan.flags = *named;
  if (templates.empty()) {
    plan.rules.push_back(RuleSet::keep_all(layouts));
    return plan;
  }
  const auto text = read_text_file(templates, kTextFileBytesMax);
  if (!text) return text.error();
  auto compiled = RuleSet::compile(templates, *text, layouts);
  if (!compiled) return compiled.error();
  plan.rules.push_back(*std::move(compiled));
  return plan;
}

Result<Recorded> record(MeteredRun& run, RecordingPlan plan, const RecordingSurroundings& around) {
  discard_unmeasured_waits(run.facts(), plan.rules);
  auto writer = TraceWriter::create(around.trace, describe_events({"filter"}, plan.rules), plan.form);
  if (!writer) return writer.error();
  Recording recording(run, std::move(plan), around, *std::move(writer));
  recording.run_to_end();
  recording.release_program();
  return recording.result();
}

}  // namespace dpm::cli

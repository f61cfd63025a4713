#include "cli/meter/metering.hpp"

#include <unistd.h>

#include <atomic>
#include <ctime>
#include <optional>

#include "backends/linux/custody/keeper/control_socket.hpp"
#include "cli/meter/command_end.hpp"
#include "cli/meter/descriptor_watch.hpp"
#include "cli/meter/limit_timer.hpp"
#include "cli/meter/recording_sink.hpp"
#include "filter/event_filter.hpp"
#include "os/kernel/process_files.hpp"
#include "os/process_handle.hpp"
#include "trace/event_fields.hpp"
#include "trace/files.hpp"
#include "trace/read_ledger.hpp"
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

Result<Recorded> record(MeteredRun& run, RecordingPlan plan, const RecordingSurroundings& around) {
  if (!run.facts().waits_are_measured)
    for (RuleSet& rules : plan.rules)
      for (const char* field : {"readyTime", "diskTime"}) rules.discard(event_layouts(), field);
  auto writer = TraceWriter::create(around.trace, describe_events({"filter"}, plan.rules), plan.form);
  if (!writer) return writer.error();
  EventFilter filter(std::move(plan.rules), **writer);
  RecordingSink sink(filter, **writer, plan.flags.immediate(), std::move(plan.chosen), around.listener);
  std::optional<InsideRecording> inside;
  if (plan.inside) inside.emplace(*plan.inside, sink, sink);
  GrowthSink& growth = inside ? static_cast<GrowthSink&>(*inside) : sink;
  EventSink& events = inside ? static_cast<EventSink&>(*inside) : sink;
  MeterStatus status{.pid = run.facts().pid,
                     .command = run.facts().command,
                     .flags = plan.flags,
                     .since_s = ::time(nullptr),
                     .output = around.output};  // the watching thread's own
  UniqueFd command = open_process(run.facts().pid);
  SignalDescriptor signals(around.stop_signals);
  const auto source = run.meter(
      {.flags = plan.flags, .names_to = &growth, .callers = plan.callers, .whole_cpu_time = plan.whole_cpu_time});

  Recorded recorded;
  std::atomic<bool> stopped{false};
  const auto stop = [&] {
    stopped = true;
    source->stop();
  };
  auto control = ControlServer::open({.status =
                                          [&] {
                                            status.events = sink.events();
                                            status.lost = source->so_far().losses.lost();
                                            return status;
                                          },
                                      .set_flags =
                                          [&](MeterFlags changed) {
                                            status.flags = changed;
                                            sink.set_immediate(changed.immediate());
                                            source->set_flags(0, changed);
                                          },
                                      .processes = [&] { return source->so_far().processes; },
                                      .stop = stop});
  std::vector<DescriptorWatch::Watched> watched = {{signals.fd(), [&] {
                                                      if (signals.take()) stop();
                                                    }}};
  const UniqueFd limit = timer_after(around.limit);
  if (limit)
    watched.push_back({limit.get(), [&] {
                         std::uint64_t times = 0;
                         if (::read(limit.get(), &times, sizeof times) > 0) stop();
                       }});
  if (sink.flush_fd() >= 0) watched.push_back({sink.flush_fd(), [&sink] { sink.flush(); }});
  if (control) watched.push_back({control->fd(), [&control] { control->handle(); }});
  {
    const DescriptorWatch watch(std::move(watched));
    std::optional<CommandEnd> command_end;
    if (command && around.on_left_behind)
      command_end.emplace(
          std::move(command), [&] { return !source->so_far().processes.empty(); },
          [&] {
            const auto so_far = source->so_far();
            around.on_left_behind({.ledger = sink.complete_so_far(so_far.losses), .meter = so_far.summary},
                                  named(so_far.processes));
          });
    if (around.listener != nullptr) around.listener->begin([&source] { return source->so_far().losses.lost(); });
    if (auto done = source->run(events); !done) recorded.failure = done.error().what;
    if (around.listener != nullptr) around.listener->end();
  }
  if (stopped) {
    if (auto left = run.release(); !left) recorded.failure = left.error().what;
  }
  if (const auto& written = (*writer)->status(); !written) recorded.failure = written.error().what;
  recorded.ledger = (*writer)->ledger();
  if (inside)
    for (std::string& complaint : inside->take_complaints()) recorded.ledger.warnings.push_back(std::move(complaint));
  if (recorded.ledger.removed > 0)
    recorded.ledger.warnings.push_back(begins_in_the_middle(recorded.ledger, plan.form.window->length));
  if (!control)
    recorded.ledger.warnings.push_back("dpm list, stop and setflags could not reach this meter: " +
                                       control.error().what);
  recorded.meter = source->summary();
  recorded.stopped = stopped;
  return recorded;
}

}  // namespace dpm::cli

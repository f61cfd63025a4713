#include "backends/linux/capture/bpf/kernel_source.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <utility>

#include "backends/linux/capture/bpf/bypass_surveys.hpp"
#include "backends/linux/capture/bpf/kernel_ledger.hpp"
#include "backends/linux/capture/bpf/record_reader.hpp"
#include "backends/linux/capture/bpf/record_translator.hpp"
#include "backends/linux/capture/kernel/local_clock.hpp"
#include "backends/linux/capture/kernel/open_files.hpp"
#include "backends/linux/capture/kernel/process_files.hpp"
#include "os/machine.hpp"

namespace dpm {
namespace {

// Between two looks at the rings. Each wake-up takes a processor away from the program for a moment.
constexpr std::int64_t kPauseNs = 5'000'000;
// While nothing happens. The first record ends it.
constexpr std::int64_t kIdlePauseNs = 100'000'000;
constexpr int kIdleLooks = 20;

}  // namespace

struct KernelSource::State {
  State(KernelPrograms loaded, FollowedProgram followed, MeterOptions chosen, std::function<void()> when_ready)
      : programs(std::move(loaded)),
        program(std::move(followed)),
        options(std::move(chosen)),
        on_ready(std::move(when_ready)),
        translator(meter, {program.pid, program.command, options.flags, program.from_start}, local_clock_offset_ns()) {
    meter.conversations().set_local_addresses(machine_addresses());
  }

  KernelPrograms programs;
  FollowedProgram program;
  MeterOptions options;
  std::function<void()> on_ready;
  TraceInfo info;
  MeterSummary summary;
  LoadGauge load;
  std::atomic<bool> stopped{false};

  std::mutex mutex;  // for what follows
  Meter meter;
  RecordTranslator translator;
  KernelLedger ledger;
  BypassSurveys bypasses;
  std::int64_t surveyed_at_ns = 0;

  void deliver(EventSink& sink);
  bool look(RecordReader& reader, bool at_the_end);
  void look_at_open_files();
  void look_for_bypasses();
  void note_summary();
  LossReport losses() const;
  std::uint64_t delivered = 0;
};

LossReport KernelSource::State::losses() const {
  std::vector<std::string> warnings = meter.check_warnings();
  for (auto& warning : bypasses.warnings()) warnings.push_back(std::move(warning));
  return ledger.report(warnings, translator.records_not_understood());
}

void KernelSource::State::note_summary() {
  summary.recorded_calls = translator.records();
  summary.unrecorded_events = ledger.refused();
  summary.processes = meter.processes().process_count();
  summary.threads = meter.processes().thread_count();
}

// Nothing tells that a socket or pipe is closed for good (Conversations, "Forgetting"). Listing what is open takes a while,
// and so_far() does not wait for it.
void KernelSource::State::look_at_open_files() {
  std::vector<std::uint32_t> pids;
  {
    const std::lock_guard lock(mutex);
    if (!meter.conversations().wants_survey()) return;
    meter.conversations().begin_survey();
    pids = translator.threads().processes();
  }
  OpenFiles open;
  std::vector<std::uint32_t> not_seen;
  for (const std::uint32_t pid : pids)
    if (!add_open_files(pid, open)) not_seen.push_back(pid);
  const std::lock_guard lock(mutex);
  meter.paths().end_survey(std::move(open), not_seen);
}

void KernelSource::State::look_for_bypasses() {
  constexpr std::int64_t kPauseMinNs = 5'000'000;
  const std::int64_t now_ns = steady_clock_ns();
  if (now_ns < surveyed_at_ns + kPauseMinNs) return;
  surveyed_at_ns = now_ns;
  const std::lock_guard lock(mutex);
  bypasses.look(translator.threads().processes(), now_ns);
}

// True if there were records, or some wait for the next look.
bool KernelSource::State::look(RecordReader& reader, bool at_the_end) {
  const std::int64_t now_ns = steady_clock_ns();
  const auto& records = reader.drain(now_ns, at_the_end);
  const std::lock_guard lock(mutex);
  if (ledger.look(programs)) translator.some_are_lost();
  translator.set_load(load.runnable(now_ns));
  for (const auto& record : records) translator.take(record);
  meter.forget_ended();
  note_summary();
  return !records.empty() || reader.holds_some();
}

void KernelSource::State::deliver(EventSink& sink) {
  std::optional<RecordBatch> batch;
  {
    const std::lock_guard lock(mutex);
    batch = meter.take();
  }
  if (options.names_to == nullptr) {
    batch->growth.add_to(info);
  } else if (!batch->growth.empty()) {
    options.names_to->on_growth(batch->growth);
  }
  delivered += batch->events.size();
  if (!batch->events.empty()) sink.on_events(batch->events);
}

KernelSource::KernelSource(KernelPrograms programs, FollowedProgram program, MeterOptions options,
                           std::function<void()> on_ready)
    : state_(
          std::make_unique<State>(std::move(programs), std::move(program), std::move(options), std::move(on_ready))) {}

KernelSource::~KernelSource() = default;

Result<void> KernelSource::run(EventSink& sink) {
  State& state = *state_;
  state.info.source = "linux-kernel";
  state.info.properties.metering_takes_time = true;
  state.info.scenario = state.program.command;
  state.info.machines.push_back(this_machine(state.options.machine));
  RecordReader reader(state.programs);
  {
    const std::lock_guard lock(state.mutex);
    state.translator.threads().begin_program(steady_clock_ns());
  }
  sink.on_begin(state.info);
  if (state.on_ready) state.on_ready();

  int idle_looks = 0;
  while (!state.stopped && !state.translator.threads().none_left()) {
    const bool is_idle = idle_looks >= kIdleLooks;
    reader.sleep(is_idle ? kIdlePauseNs : kPauseNs, is_idle);
    idle_looks = state.look(reader, false) ? 0 : idle_looks + 1;
    state.deliver(sink);
    state.look_at_open_files();
    state.look_for_bypasses();
  }
  state.look(reader, true);
  {
    const std::lock_guard lock(state.mutex);
    const std::int64_t now_ns = steady_clock_ns();
    state.translator.threads().finish();
    state.meter.finish(state.translator.threads().local(now_ns), now_ns);
    state.note_summary();
  }
  state.deliver(sink);
  LossReport report = state.losses();
  report.seen += state.delivered;
  sink.on_end(report);
  return {};
}

void KernelSource::stop() { state_->stopped = true; }

void KernelSource::set_flags(std::uint32_t pid, MeterFlags flags) {
  const std::lock_guard lock(state_->mutex);
  state_->meter.processes().set_flags(pid, flags);
}

KernelSource::SoFar KernelSource::so_far() {
  const std::lock_guard lock(state_->mutex);
  return {state_->summary, state_->translator.threads().processes(), state_->losses()};
}

const MeterSummary& KernelSource::summary() const { return state_->summary; }

}  // namespace dpm

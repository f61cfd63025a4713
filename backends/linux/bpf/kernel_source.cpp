#include "backends/linux/bpf/kernel_source.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <mutex>
#include <optional>
#include <utility>

#include "backends/linux/bpf/bypass_surveys.hpp"
#include "backends/linux/bpf/kernel_ledger.hpp"
#include "backends/linux/bpf/record_reader.hpp"
#include "backends/linux/bpf/record_translator.hpp"
#include "backends/linux/bpf/running_threads.hpp"
#include "backends/linux/calls/machine_summaries.hpp"
#include "os/kernel/machine_values.hpp"
#include "os/kernel/open_files.hpp"
#include "os/kernel/process_files.hpp"
#include "os/local_clock.hpp"
#include "os/machine.hpp"

namespace dpm {
namespace {

// Between two looks at the rings. Each wake-up takes a processor away from the program for a moment.
constexpr std::int64_t kPauseNs = 5'000'000;
// While nothing happens. The first record ends it.
constexpr std::int64_t kIdlePauseNs = 100'000'000;
constexpr int kIdleLooks = 20;

Bypass way_of(dpm_bypass kind) {
  switch (kind) {
    case dpm_bypass_aio:
      return Bypass::aio_operation;
    case dpm_bypass_ring:
      return Bypass::ring;
    case dpm_bypass_ring_operation:
      return Bypass::ring_operation;
    case dpm_bypass_32_bit:
      return Bypass::call_32;
    case dpm_bypass_packets:
      return Bypass::packet_pipe;
    case dpm_bypass_other_socket:
      return Bypass::other_socket;
    case dpm_bypass_terminal:
      return Bypass::terminal;
    case dpm_bypass_posix_queue:
      return Bypass::posix_queue;
    case dpm_bypass_sysv_queue:
      return Bypass::sysv_queue;
    case dpm_bypass_memory:
      return Bypass::memory;
    case dpm_bypass_none:
      break;
  }
  return Bypass::none;
}

}  // namespace

struct KernelSource::State {
  State(KernelPrograms loaded, FollowedProgram followed, MeterOptions chosen, std::function<void()> when_ready)
      : programs(std::move(loaded)),
        program(std::move(followed)),
        options(std::move(chosen)),
        on_ready(std::move(when_ready)),
        summaries(options.summary_interval),
        translator(meter,
                   {program.pid, program.command, options.flags, program.from_start, program.has_gone != nullptr},
                   local_clock_offset_ns()) {
    meter.conversations().set_local_addresses(machine_addresses());
  }

  std::optional<KernelPrograms> programs;  // until the end of run()
  FollowedProgram program;
  MeterOptions options;
  std::function<void()> on_ready;
  TraceInfo info;
  MeterSummary summary;
  LoadGauge load;
  MachineSummaries summaries;
  std::atomic<bool> stopped{false};

  std::mutex mutex;  // for what follows
  Meter meter;
  RecordTranslator translator;
  KernelLedger ledger;
  BypassSurveys bypasses;
  std::int64_t surveyed_at_ns = 0;
  std::vector<KernelPrograms::Bypassing> bypassing;  // by the last look
  std::int64_t noted_at_ns = 0;
  // Records are read some milliseconds after what they tell: flags count from the record on that comes after their change.
  struct FlagChange {
    std::uint64_t at_ns = 0;
    std::uint32_t pid = 0;
    MeterFlags flags;
  };
  std::deque<FlagChange> flag_changes;

  void deliver(EventSink& sink);
  void begin();
  bool is_over();
  void follow_entered();
  void apply_flags_until(std::uint64_t time_ns);
  bool look(RecordReader& reader, bool at_the_end);
  void look_at_open_files();
  void look_for_bypasses();
  void note_bypassing();
  void note_summary();
  LossReport losses() const;
  void look_at_machine(bool at_the_end);
  std::uint64_t delivered = 0;
};

LossReport KernelSource::State::losses() const {
  std::vector<std::string> warnings = meter.check_warnings();
  for (auto& warning : bypasses.warnings()) warnings.push_back(std::move(warning));
  BypassAccount passed;
  for (const auto& by : bypassing)
    passed.add_calls(way_of(by.kind), fmt::format("{} ({})", by.process, by.pid), by.calls);
  for (auto& warning : passed.warnings()) warnings.push_back(std::move(warning));
  LossReport report = ledger.report(warnings, translator.events_not_understood());
  for (auto& loss : passed.losses()) {
    report.seen += loss.events;
    report.losses.push_back(std::move(loss));
  }
  return report;
}

void KernelSource::State::note_bypassing() { bypassing = programs->bypassing(); }

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
  constexpr std::int64_t kNotePauseNs = 100'000'000;
  if (now_ns < noted_at_ns + kNotePauseNs) return;
  noted_at_ns = now_ns;
  note_bypassing();
}

void KernelSource::State::begin() {
  const std::lock_guard lock(mutex);
  const std::int64_t now_ns = steady_clock_ns();
  translator.threads().begin_program(now_ns);
  for (const std::uint32_t pid : program.running) translator.threads().add_running(pid, now_ns);
}

bool KernelSource::State::is_over() {
  if (stopped) return true;
  return program.has_gone ? program.has_gone() : translator.threads().none_left();
}

// The kernel tells one thread of a process that enters a cgroup.
void KernelSource::State::follow_entered() {
  const std::lock_guard lock(mutex);
  for (const std::uint32_t pid : translator.threads().take_entered()) {
    if (!follow_all_threads(pid, *programs)) continue;  // it has ended
    translator.threads().add_running(pid, steady_clock_ns());
  }
}

void KernelSource::State::apply_flags_until(std::uint64_t time_ns) {
  for (; !flag_changes.empty() && flag_changes.front().at_ns <= time_ns; flag_changes.pop_front())
    meter.processes().set_flags(flag_changes.front().pid, flag_changes.front().flags);
}

// True if there were records, or some wait for the next look.
bool KernelSource::State::look(RecordReader& reader, bool at_the_end) {
  const std::int64_t now_ns = steady_clock_ns();
  const auto& records = reader.drain(now_ns, at_the_end);
  const std::lock_guard lock(mutex);
  if (ledger.look(*programs)) translator.some_are_lost();
  translator.set_load(load.runnable(now_ns));
  for (const auto& record : records) {
    apply_flags_until(RecordOrder::time_of(record));
    translator.take(record);
  }
  translator.give_up_old(now_ns);
  meter.forget_ended();
  note_summary();
  return !records.empty() || reader.holds_some();
}

// Its first reading tells nothing yet. At the end, what is left of an interval is covered, too.
void KernelSource::State::look_at_machine(bool at_the_end) {
  std::int64_t now_ns = steady_clock_ns();
  if (!summaries.is_due(now_ns) && !(at_the_end && summaries.is_wanted())) return;
  const MachineValues values = read_machine_values();
  now_ns = steady_clock_ns();
  const auto pid = static_cast<std::uint32_t>(::getpid());
  const std::lock_guard lock(mutex);
  auto taken = summaries.take(values, translator.threads().local(now_ns), now_ns);
  if (!meter.processes().flags_for_all(options.flags).has(EventType::summary)) return;
  meter.summarises(std::move(taken), load.runnable(now_ns), {pid, read_beginning_ns(pid, pid)});
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
  state.begin();
  sink.on_begin(state.info);
  if (state.on_ready) state.on_ready();

  std::optional<RecordReader> reader(std::in_place, *state.programs);
  int idle_looks = 0;
  while (!state.is_over()) {
    const bool is_idle = idle_looks >= kIdleLooks;
    if (!reader->leaves_some()) reader->sleep(is_idle ? kIdlePauseNs : kPauseNs, is_idle);
    idle_looks = state.look(*reader, false) ? 0 : idle_looks + 1;
    state.follow_entered();
    state.deliver(sink);
    state.look_at_open_files();
    state.look_for_bypasses();
    state.look_at_machine(false);
  }
  const auto over_ns =
      static_cast<std::uint64_t>(steady_clock_ns());  // a program that goes on may fill the rings without end
  do {
    state.look(*reader, true);
    state.deliver(sink);
  } while (reader->leaves_some(over_ns));
  reader.reset();
  const auto accounts = state.programs->accounts();
  state.ledger.set_missed_uses(state.programs->missed_uses());
  {
    const std::lock_guard lock(state.mutex);
    state.note_bypassing();
  }
  state.programs.reset();  // nothing stays in the kernel while the sink ends
  {
    const std::lock_guard lock(state.mutex);
    const std::int64_t now_ns = steady_clock_ns();
    state.translator.threads().finish();
    state.ledger.add_unaccounted(state.translator.threads().tell_waits(accounts));
    state.meter.finish(state.translator.threads().local(now_ns), now_ns);
    state.note_summary();
  }
  state.look_at_machine(true);
  state.deliver(sink);
  LossReport report = state.losses();
  report.seen += state.delivered;
  sink.on_end(report);
  return {};
}

void KernelSource::stop() { state_->stopped = true; }

void KernelSource::set_flags(std::uint32_t pid, MeterFlags flags) {
  const std::lock_guard lock(state_->mutex);
  state_->flag_changes.push_back({static_cast<std::uint64_t>(steady_clock_ns()), pid, flags});
}

KernelSource::SoFar KernelSource::so_far() {
  const std::lock_guard lock(state_->mutex);
  return {state_->summary, state_->translator.threads().processes(), state_->losses()};
}

const MeterSummary& KernelSource::summary() const { return state_->summary; }

}  // namespace dpm

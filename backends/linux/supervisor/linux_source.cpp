#include "backends/linux/supervisor/linux_source.hpp"

#include <fmt/format.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "backends/linux/supervisor/call_cost.hpp"
#include "backends/linux/supervisor/record_queue.hpp"
#include "backends/linux/supervisor/supervisor.hpp"
#include "os/descriptors.hpp"
#include "os/heap.hpp"
#include "os/machine.hpp"
#include "os/startable_tasks.hpp"

namespace dpm {
namespace {

// Each thread costs the supervisor a few. The program's own limit does not change; root may raise its hard limit.
constexpr unsigned long kDescriptorsWanted = 65'536;

// A warning if the limit is too low to look at any thread.
std::optional<std::string> descriptor_warning() {
  constexpr rlim_t kLeast = 64;
  rlimit limit = {};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= kLeast) return std::nullopt;
  return fmt::format(
      "the meter may open only {} files: calls that it could not inspect are missing (raise 'ulimit -Hn' before dpm)",
      limit.rlim_cur);
}

// The signal that interrupts a thread that waits for a call. Its handler does nothing.
void prepare_interruption() {
  struct sigaction action = {};
  action.sa_handler = [](int) {};
  ::sigaction(SIGUSR1, &action, nullptr);
}

LossReport losses_of(Supervisor& supervisor) {
  LossReport report;
  report.seen = supervisor.summary().unrecorded_events;
  if (report.seen > 0) {
    report.losses.push_back(
        {"the recorder could not keep up, and the program was not held back any longer", report.seen});
  }
  for (auto& loss : supervisor.losses()) {
    report.seen += loss.events;
    report.losses.push_back(std::move(loss));
  }
  report.warnings = supervisor.warnings();
  if (auto warning = descriptor_warning()) report.warnings.push_back(*std::move(warning));
  return report;
}

}  // namespace

struct LinuxSource::State {
  State(MeteredProgram metered, MeterOptions chosen, std::function<void()> when_ready)
      : program(std::move(metered)), options(std::move(chosen)), on_ready(std::move(when_ready)) {}

  MeteredProgram program;
  MeterOptions options;
  std::function<void()> on_ready;
  TraceInfo info;
  MeterSummary summary;

  std::mutex mutex;  // the supervisor comes and goes
  Supervisor* supervisor = nullptr;
  bool stopped = false;

  void set_supervisor(Supervisor* current) {
    const std::lock_guard lock(mutex);
    supervisor = current;
    if (supervisor != nullptr && stopped) supervisor->stop();
  }
  Error give_up(const Error& why) {
    set_supervisor(nullptr);
    return Error{"meter the program: " + why.what};
  }
};

LinuxSource::LinuxSource(MeteredProgram program, MeterOptions options, std::function<void()> on_ready)
    : state_(std::make_unique<State>(std::move(program), std::move(options), std::move(on_ready))) {}

LinuxSource::~LinuxSource() = default;

Result<void> LinuxSource::run(EventSink& sink) {
  State& state = *state_;
  allow_many_descriptors(kDescriptorsWanted);
  prepare_interruption();
  keep_buffers_apart();
  state.info.source = "linux-seccomp";
  state.info.properties.metering_takes_time = true;
  state.info.scenario = state.program.command;
  state.info.machines.push_back(this_machine(state.options.machine));

  const std::uint64_t call_cost_ns =
      state.options.whole_cpu_time ? 0 : measure_call_cost_ns(state.options.sync_wake_up);
  RecordQueue queue(state.options.waiting_records_max, state.options.patience);
  std::optional<Supervisor> supervisor(std::in_place, state.program, state.options, call_cost_ns, queue);
  state.set_supervisor(&*supervisor);
  auto serving = start_thread([&supervisor] { supervisor->serve(); });
  if (!serving) return state.give_up(serving.error());
  auto attending = start_thread([&supervisor, &serving] { supervisor->attend(serving->native_handle()); });
  if (!attending) {
    supervisor->stop();
    supervisor->attend(serving->native_handle());  // it ends the other one
    serving->join();
    return state.give_up(attending.error());
  }
  sink.on_begin(state.info);
  if (state.on_ready) state.on_ready();

  std::uint64_t delivered = 0;
  while (auto batch = queue.pop()) {
    if (state.options.names_to == nullptr) {
      batch->growth.add_to(state.info);
    } else if (!batch->growth.empty()) {
      state.options.names_to->on_growth(batch->growth);
    }
    delivered += batch->events.size();
    if (!batch->events.empty()) sink.on_events(batch->events);
  }
  serving->join();
  attending->join();
  state.set_supervisor(nullptr);
  state.summary = supervisor->summary();

  LossReport report = losses_of(*supervisor);
  report.seen += delivered;
  supervisor.reset();  // its descriptors may be those that the sink needs to write the end
  sink.on_end(report);
  return {};
}

LinuxSource::SoFar LinuxSource::so_far() {
  const std::lock_guard lock(state_->mutex);
  if (state_->supervisor == nullptr) return {state_->summary, {}, {}};
  return {state_->supervisor->summary(), state_->supervisor->processes(), losses_of(*state_->supervisor)};
}

void LinuxSource::stop() {
  const std::lock_guard lock(state_->mutex);
  state_->stopped = true;
  if (state_->supervisor != nullptr) state_->supervisor->stop();
}

void LinuxSource::set_flags(std::uint32_t pid, MeterFlags flags) {
  const std::lock_guard lock(state_->mutex);
  if (state_->supervisor != nullptr) state_->supervisor->set_flags(pid, flags);
}

const MeterSummary& LinuxSource::summary() const { return state_->summary; }

const MeteredProgram& LinuxSource::program() const { return state_->program; }

}  // namespace dpm

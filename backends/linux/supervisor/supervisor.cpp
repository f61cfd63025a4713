#include "backends/linux/supervisor/supervisor.hpp"

#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <ctime>
#include <utility>

#include "backends/linux/supervisor/last_news.hpp"
#include "os/kernel/filter_carriers.hpp"
#include "os/kernel/machine_values.hpp"
#include "os/kernel/process_files.hpp"
#include "os/machine.hpp"

namespace dpm {
namespace {

constexpr std::size_t kServingSlot = 0;
// To wake the thread that feeds the sink, on another CPU, costs as much as looking at a few calls.
constexpr std::size_t kBatchEvents = 1000;
constexpr std::uint64_t kWakeEvent = 1, kNewsEvent = 2;
constexpr std::uint32_t kEndEvent = 3;
// The longest pause for an idle program: hundreds of idle programs cost nearly nothing.
constexpr std::int64_t kTickMaxNs = 320'000'000;
constexpr std::int64_t kLookAgainNs = 1'000'000;

Processes::Own own_process() {
  const auto pid = static_cast<std::uint32_t>(::getpid());
  return {pid, read_beginning_ns(pid, pid)};
}

}  // namespace

Supervisor::Supervisor(MeteredProgram& program, const MeterOptions& options, std::uint64_t call_cost_ns,
                       RecordQueue& queue)
    : options_(options),
      program_began_ns_(read_beginning_ns(program.pid, program.pid)),
      queue_(queue),
      listener_(std::move(program.listener)),
      slots_(program.slots),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      answers_(listener_),
      news_(epoll_.get(), kNewsEvent, kEndEvent),
      shared_{answers_, files_, kernel_, news_, MeterClock(kernel_, local_clock_offset_ns())},
      handler_(shared_,
               {.program = {program.pid, program.from_start, program.command, options.flags},
                .call_cost_ns = call_cost_ns,
                .callers = options.callers,
                .cpu_counters = options.cpu_counters},
               program.slots, epoll_.get(), [this] { wake(); }),
      surveys_(mutex_, shared_, handler_.tracker()),
      stand_in_(program.slots.stand_in()),
      summaries_(options.summary_interval),
      own_process_(own_process()) {
  sync_wake_up_ = options_.sync_wake_up && listener_.set_sync_wake_up(true);
  epoll_event event = {};
  event.events = EPOLLIN;
  event.data.u64 = kWakeEvent;
  ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event);
  shared_.summary.call_cost_ns = call_cost_ns;
  shared_.meter.conversations().set_local_addresses(machine_addresses());
  if (program.exact_paths) shared_.meter.paths().are_told();
  if (news_.tells_of_sockets()) shared_.meter.paths().expect_ends(true);
  handler_.tracker().register_program();
}

void Supervisor::serve() {
  Notification& notification = slots_[kServingSlot];
  while (!stopped_ && !all_gone_) {
    notification = {};
    const auto received = listener_.receive(notification);
    if (received == SeccompListener::Received::ended) {
      all_gone_ = true;
      wake();
      break;
    }
    if (received == SeccompListener::Received::none) continue;
    CallOutcome outcome = CallOutcome::let_go;
    {
      const std::lock_guard lock(mutex_);
      outcome = handle(notification);
    }
    if (outcome != CallOutcome::let_go || listener_.let_go(notification.id)) continue;
    const std::lock_guard lock(mutex_);
    handler_.was_taken_away(notification);
  }
  notification = {};
  served_ = true;
}

CallOutcome Supervisor::handle(const Notification& notification) {
  ++shared_.summary.notified_calls;
  note_activity();
  if (keeper_stands_in()) {
    stand_in_.passed_calls(1);
    return CallOutcome::let_go;
  }
  const auto wanted = active_.made_call(notification.tid);
  if (wanted && options_.sync_wake_up && *wanted != std::exchange(sync_wake_up_, *wanted))
    listener_.set_sync_wake_up(*wanted);
  const CallOutcome outcome = handler_.handle(notification);
  const TrackedThread* thread = shared_.table.thread(notification.tid);
  const bool immediate = thread != nullptr && thread->metered->flags.immediate();
  if (immediate || shared_.meter.finished() >= kBatchEvents) hand_on();
  return outcome;
}

bool Supervisor::keeper_stands_in() {
  const StandInWatch::Look look = stand_in_.look(shared_.clock.steady_now_ns());
  if (look.passes_all) stand_in_.passed_calls(handler_.pass_all());
  return look.stands_in;
}

// The program made a call: return to the short polling interval.
void Supervisor::note_activity() {
  if (std::exchange(tick_ns_, kTickNs) != kTickNs) wake();
}

void Supervisor::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

void Supervisor::stop() {
  stopped_ = true;
  wake();
}

void Supervisor::attend(pthread_t serving) {
  std::array<epoll_event, 64> events;
  std::int64_t next_tick_ns = 0;
  for (;;) {
    std::int64_t now_ns = kernel_.steady_ns();
    const std::int64_t wait_ns = wake_up_at_ns(now_ns, next_tick_ns) - now_ns;
    const timespec limit{wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
    const int count = ::epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()), &limit, nullptr);
    std::unique_lock lock(mutex_);
    keeper_stands_in();
    const auto waiting = handler_.held().take_to_inspect();
    for (int i = 0; i < count; ++i) take_event(events[static_cast<std::size_t>(i)].data.u64);
    for (const std::uint64_t watch : waiting) handler_.held().fired(watch);
    if (stopped_ || all_gone_) break;
    now_ns = kernel_.steady_ns();
    handler_.held().fail_late(now_ns);
    handler_.tracker().cpu_times().compare_counters(now_ns);
    if (count > 0) {  // kEndEvent among others
      tick_ns_ = kTickNs;
      next_tick_ns = std::min(next_tick_ns, now_ns + kTickNs);
    }
    if (now_ns < next_tick_ns) continue;
    ++slots_.stand_in().heartbeat;
    if (has_program_ended(now_ns)) {
      all_gone_ = true;
      break;
    }
    handler_.look_around(now_ns);
    hand_on();
    next_tick_ns = now_ns + pause_after_look();
    lock.unlock();
    surveys_.look();
    look_at_machine();
  }
  interrupt(serving);
  finish();
  queue_.close();
}

std::int64_t Supervisor::wake_up_at_ns(std::int64_t now_ns, std::int64_t next_tick_ns) {
  const std::lock_guard lock(mutex_);
  std::int64_t until_ns = std::max(now_ns, next_tick_ns);
  if (const std::int64_t deadline_ns = handler_.held().next_deadline_ns(); deadline_ns != 0)
    until_ns = std::clamp(deadline_ns, now_ns, until_ns);
  const bool soon = handler_.held().has_to_inspect() || handler_.tracker().cpu_times().has_to_compare();
  return soon ? std::min(until_ns, now_ns + kLookAgainNs) : until_ns;
}

void Supervisor::take_event(std::uint64_t data) {
  if (HoldTable::is_hold(data)) handler_.held().fired(data);
  if (data == kNewsEvent) handler_.tracker().read_news();
  if (!HoldTable::is_hold(data) && static_cast<std::uint32_t>(data) == kEndEvent)
    handler_.tracker().look_at_end(static_cast<std::uint32_t>(data >> 32));
  std::uint64_t wakes = 0;
  if (data == kWakeEvent) [[maybe_unused]]
    const ssize_t read = ::read(wake_.get(), &wakes, sizeof wakes);
}

// Twice the last pause, as long as there is nothing to look at: no call since, no event whose length is unknown, and no
// held receive with a time limit, whose interruption must be noticed soon (CallHandler).
std::int64_t Supervisor::pause_after_look() {
  const bool is_idle = shared_.summary.notified_calls == calls_before_look_ &&
                       handler_.held().next_deadline_ns() == 0 && !shared_.meter.has_unfinished();
  calls_before_look_ = shared_.summary.notified_calls;
  const std::int64_t longest_ns = std::min(kTickMaxNs, options_.summary_interval.value_or(Duration{kTickMaxNs}).ns);
  tick_ns_ = is_idle ? std::min(2 * tick_ns_, longest_ns) : kTickNs;
  return tick_ns_;
}

void Supervisor::look_at_machine() {
  if (!summaries_.is_due(kernel_.steady_ns())) return;
  const MachineValues values = read_machine_values();
  const std::lock_guard lock(mutex_);
  record_summaries(values);
}

void Supervisor::record_summaries(const MachineValues& values) {
  const std::int64_t now_ns = kernel_.steady_ns();
  auto summaries = summaries_.take(values, shared_.clock.at(now_ns), now_ns);
  if (!shared_.meter.processes().flags_for_all(options_.flags).has(EventType::summary)) return;
  shared_.meter.summarises(std::move(summaries), kernel_.runnable_tasks(now_ns), own_process_);
}

// Polled, because an epoll set would report every call. The listener of a program whose parent has not waited for it hangs up late.
bool Supervisor::has_program_ended(std::int64_t now_ns) {
  if (listener_.has_ended()) return true;
  if (!shared_.table.threads().empty() || now_ns < look_for_carriers_at_ns_) return false;
  look_for_carriers_at_ns_ = now_ns + kTickMaxNs;  // it looks at every process of the machine
  return !may_have_filter_carriers(program_began_ns_);
}

// serve() may be waiting, or about to wait, for a call that never comes.
void Supervisor::interrupt(pthread_t serving) {
  constexpr long kAgainNs = 1'000'000;
  while (!served_) {
    ::pthread_kill(serving, SIGUSR1);
    const timespec pause{0, kAgainNs};
    ::nanosleep(&pause, nullptr);
  }
}

void Supervisor::finish() {
  const std::lock_guard lock(mutex_);
  LastNews last_news(shared_, handler_);
  if (all_gone_) last_news.await_ends_of_processes();
  if (all_gone_) last_news.await_ends_of_sockets();
  handler_.finish();
  if (summaries_.is_wanted()) record_summaries(read_machine_values());
  hand_on();
}

void Supervisor::set_flags(std::uint32_t pid, MeterFlags flags) {
  const std::lock_guard lock(mutex_);
  shared_.meter.processes().set_flags(pid, flags);
}

MeterSummary Supervisor::summary() {
  const std::lock_guard lock(mutex_);
  shared_.summary.processes = shared_.meter.processes().process_count();
  shared_.summary.threads = shared_.meter.processes().thread_count();
  shared_.summary.unrecorded_events = queue_.dropped();
  return shared_.summary;
}

std::vector<std::uint32_t> Supervisor::processes() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> pids;
  for (const auto& [pid, process] : shared_.table.processes()) pids.push_back(pid);
  std::sort(pids.begin(), pids.end());
  return pids;
}

std::vector<Loss> Supervisor::losses() {
  const std::lock_guard lock(mutex_);
  std::vector<Loss> losses;
  if (auto stopped = stand_in_.loss(shared_.clock.steady_now_ns())) losses.push_back(*std::move(stopped));
  if (handler_.unlooked_calls() > 0)
    losses.push_back({"the meter may open no more files, and could not look at calls (raise 'ulimit -Hn' before dpm)",
                      handler_.unlooked_calls()});
  for (auto& passed : handler_.tracker().bypasses().losses()) losses.push_back(std::move(passed));
  return losses;
}

// May also be called while calls are served.
std::vector<std::string> Supervisor::warnings() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> warnings;
  if (!news_.tells_of_processes())
    warnings.push_back(
        fmt::format("processes were found in /proc only ({}): times of forks, execs and ends may be late; threads that "
                    "make no metered call are missing, and so are processes that make none and outlive their parent, "
                    "or they have the parent that adopted them",
                    news_.why_not()));
  const auto more = handler_.warnings();
  warnings.insert(warnings.end(), more.begin(), more.end());
  const auto& gaps = shared_.meter.gaps();
  if (gaps.bytes > 0)
    warnings.push_back(fmt::format("{} bytes in {} ranges of streams passed the meter unseen: the GAP events say where",
                                   gaps.bytes, gaps.ranges));
  if (gaps.unplaced_bytes > 0)
    warnings.push_back(fmt::format("{} bytes of these have no GAP: no metered process is known to have moved them",
                                   gaps.unplaced_bytes));
  return warnings;
}

}  // namespace dpm

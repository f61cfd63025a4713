// What happens between calls, and the beginning and the end of everything.
#include <poll.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <utility>

#include "backends/linux/capture/supervisor/supervisor.hpp"
#include "os/machine.hpp"

namespace dpm {
namespace {

constexpr std::uint64_t kWakeEvent = 1, kConnectorEvent = 2, kEndEvent = 3;
constexpr std::int64_t kTickMaxNs =
    320'000'000;  // of a program that does nothing: hundreds of them cost nearly nothing
constexpr std::int64_t kLookAgainNs = 1'000'000;

void watch(int epoll_fd, int fd, std::uint32_t events, std::uint64_t data) {
  epoll_event event = {};
  event.events = events;
  event.data.u64 = data;
  ::epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

std::int64_t clock_ns(clockid_t clock) {
  timespec now = {};
  ::clock_gettime(clock, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

// From CLOCK_MONOTONIC to the machine's local time: read between two readings of the former that are as near as can be,
// because several meters of one machine shall agree however busy it is.
std::int64_t local_clock_offset_ns() {
  constexpr int kReadings = 20;
  std::int64_t offset_ns = 0, nearest_ns = INT64_MAX;
  for (int reading = 0; reading < kReadings; ++reading) {
    const std::int64_t before_ns = clock_ns(CLOCK_MONOTONIC), local_ns = clock_ns(CLOCK_REALTIME);
    const std::int64_t between_ns = clock_ns(CLOCK_MONOTONIC) - before_ns;
    if (between_ns >= nearest_ns) continue;
    nearest_ns = between_ns;
    offset_ns = local_ns - before_ns - between_ns / 2;
  }
  return offset_ns;
}

std::string seconds_text(std::int64_t ns) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3f", static_cast<double>(ns) * 1e-9);
  return text;
}

}  // namespace

Supervisor::Supervisor(MeteredProgram& program, const MeterOptions& options, std::uint64_t call_cost_ns,
                       RecordQueue& queue)
    : program_(program),
      options_(options),
      call_cost_ns_(call_cost_ns),
      queue_(queue),
      listener_(std::move(program.listener)),
      slots_(program.slots),
      epoll_(::epoll_create1(EPOLL_CLOEXEC)),
      wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)),
      connector_(ProcessConnector::open()),
      closed_sockets_(ClosedSockets::open()),
      holds_(epoll_.get()) {
  clock_offset_ns_ = local_clock_offset_ns();
  for (std::size_t slot = NotificationSlots::kSlots; slot-- > 1;) free_slots_.push_back(slot);
  const StandIn& stand_in = slots_.stand_in();
  stand_ins_ = stand_in.changes;
  stand_in_calls_before_ = stand_in.calls;
  stopped_before_ns_ = stand_in.stopped_ns;
  sync_wake_up_ = options_.sync_wake_up && listener_.set_sync_wake_up(true);
  watch(epoll_.get(), wake_.get(), EPOLLIN, kWakeEvent);
  if (connector_) watch(epoll_.get(), connector_->fd(), EPOLLIN, kConnectorEvent);
  summary_.call_cost_ns = call_cost_ns;
  counters_allowed_ = options_.cpu_counters;
  meter_.conversations().lives_at(machine_addresses());
  if (program_.exact_paths) meter_.paths_are_told();
  if (closed_sockets_) meter_.ends_are_told();
  if (options_.callers) callers_.emplace();
  meet_everybody();
}

// The first process, and of an acquired program all its threads.
void Supervisor::meet_everybody() {
  for (const std::uint32_t tid : read_thread_ids(program_.pid)) meet(tid, program_.pid, {}, local_time());
  // Its parent does not wait for us.
  if (const auto first = threads_.find(program_.pid); first != threads_.end()) count_cpu(*first->second);
}

void Supervisor::wake() {
  const std::uint64_t one = 1;
  [[maybe_unused]] const ssize_t written = ::write(wake_.get(), &one, sizeof one);
}

// The program is awake: so are we.
void Supervisor::note_activity() {
  if (std::exchange(tick_ns_, kTickNs) != kTickNs) wake();
}

// Twice as long as the one before, as long as there is nothing to look at: no call since, no event whose length is
// still to be found out, and none of the receives with a time limit, whose interruption must be noticed soon
// (kRestartMaxNs).
std::int64_t Supervisor::pause_after_look() {
  const bool is_idle =
      summary_.notified_calls == calls_before_look_ && next_deadline_ns() == 0 && !meter_.has_unfinished();
  calls_before_look_ = summary_.notified_calls;
  tick_ns_ = is_idle ? std::min(2 * tick_ns_, kTickMaxNs) : kTickNs;
  return tick_ns_;
}

// Where the kernel announces no ends, look_around() finds them; this says when to look.
void Supervisor::watch_end(const TrackedThread& thread) {
  if (!connector_ && thread.thread_fd) watch(epoll_.get(), thread.thread_fd.get(), EPOLLIN | EPOLLONESHOT, kEndEvent);
}

void Supervisor::stop() {
  stopped_ = true;
  wake();
}

void Supervisor::attend(pthread_t serving) {
  std::array<epoll_event, 64> events;
  std::int64_t next_tick_ns = 0;
  for (;;) {
    std::int64_t now_ns = clock_ns(CLOCK_MONOTONIC);
    std::int64_t until_ns = std::max(now_ns, next_tick_ns);
    {
      const std::lock_guard lock(mutex_);
      if (const std::int64_t deadline_ns = next_deadline_ns(); deadline_ns != 0)
        until_ns = std::clamp(deadline_ns, now_ns, until_ns);
      if (!look_again_.empty()) until_ns = std::min(until_ns, now_ns + kLookAgainNs);
    }
    const std::int64_t wait_ns = until_ns - now_ns;
    const timespec limit{wait_ns / 1'000'000'000, wait_ns % 1'000'000'000};
    const int count = ::epoll_pwait2(epoll_.get(), events.data(), static_cast<int>(events.size()), &limit, nullptr);
    std::unique_lock lock(mutex_);
    keeper_stands_in();
    const auto waiting = std::exchange(look_again_, {});
    for (int i = 0; i < count; ++i) {
      const std::uint64_t data = events[static_cast<std::size_t>(i)].data.u64;
      if (HoldTable::is_hold(data)) fire(HoldTable::ticket_of(data));
      if (data == kConnectorEvent) drain_announcements();
      std::uint64_t wakes = 0;
      if (data == kWakeEvent) [[maybe_unused]]
        const ssize_t read = ::read(wake_.get(), &wakes, sizeof wakes);
    }
    for (const std::uint64_t ticket : waiting) fire(HoldTable::ticket_of(ticket));
    if (stopped_ || all_gone_) break;
    now_ns = clock_ns(CLOCK_MONOTONIC);
    check_deadlines(now_ns);
    if (count > 0) {  // kEndEvent among others
      tick_ns_ = kTickNs;
      next_tick_ns = std::min(next_tick_ns, now_ns + kTickNs);
    }
    if (now_ns < next_tick_ns) continue;
    ++slots_.stand_in().heartbeat;
    // Looked at now and then: an epoll set would be told of every call.
    if (listener_.has_ended()) {
      all_gone_ = true;
      break;
    }
    check_holds();
    check_waits(now_ns);
    look_around();
    settle_old_accepts(now_ns);
    settle_several(now_ns);
    drain_closed_sockets();
    settle_old_events(now_ns);
    hand_on();
    next_tick_ns = now_ns + pause_after_look();
    const auto due = due_for_survey(now_ns);
    lock.unlock();
    survey(due);
    survey_open_files();
  }
  interrupt(serving);
  if (all_gone_) await_last_announcements();
  await_closed_sockets();
  finish();
  queue_.close();
}

// The listener's end is told before the announcement that the last process has ended, on a busy machine long before.
// Others' announcements come meanwhile, so that what ends the wait is time.
void Supervisor::await_last_announcements() {
  constexpr std::int64_t kWaitMaxNs = 5'000'000'000;
  constexpr int kWaitMs = 10;
  const std::lock_guard lock(mutex_);
  const std::int64_t until_ns = clock_ns(CLOCK_MONOTONIC) + kWaitMaxNs;
  while (connector_ && !threads_.empty() && clock_ns(CLOCK_MONOTONIC) < until_ns) {
    pollfd item{connector_->fd(), POLLIN, 0};
    ::poll(&item, 1, kWaitMs);
    drain_announcements();
  }
}

// The kernel announces the end of a socket a moment after it. As long as one comes in time, the next may.
void Supervisor::await_closed_sockets() {
  constexpr int kNextWithinMs = 20;
  constexpr std::int64_t kWaitMaxNs = 200'000'000;
  const std::lock_guard lock(mutex_);
  const std::int64_t until_ns = clock_ns(CLOCK_MONOTONIC) + kWaitMaxNs;
  while (closed_sockets_ && all_gone_ && meter_.awaits_ends() && clock_ns(CLOCK_MONOTONIC) < until_ns) {
    pollfd item{closed_sockets_->fd(), POLLIN, 0};
    if (::poll(&item, 1, kNextWithinMs) == 0) return;
    drain_closed_sockets();
  }
}

// serve() may be waiting for a call that never comes, or be about to.
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
  drain_closed_sockets();
  drain_announcements();
  look_around();
  settle_several(local_time().ns - clock_offset_ns_);
  for (const auto& [tid, thread] : threads_) {
    if (thread->wait && thread->wait->held) {
      const std::uint64_t id = thread->wait->notification.id;
      end_wait(*thread);
      listener_.let_go(id);
    }
    if (!thread->hold) continue;
    const std::uint64_t id = thread->hold->notification.id;
    end_hold(*thread);
    listener_.let_go(id);
  }
  for (auto& [tid, thread] : threads_) {
    read_cpu_time(*thread);
    meter_.leave(*thread->execution);
  }
  const LocalTime now = local_time();
  meter_.finish(now, now.ns - clock_offset_ns_);
  hand_on();
}

void Supervisor::set_flags(std::uint32_t pid, MeterFlags flags) {
  const std::lock_guard lock(mutex_);
  meter_.set_flags(pid, flags);
}

MeterSummary Supervisor::summary() {
  const std::lock_guard lock(mutex_);
  summary_.processes = meter_.process_count();
  summary_.threads = meter_.execution_count();
  summary_.unrecorded_events = queue_.dropped();
  return summary_;
}

std::vector<std::uint32_t> Supervisor::processes() {
  const std::lock_guard lock(mutex_);
  std::vector<std::uint32_t> pids;
  for (const auto& [pid, process] : processes_) pids.push_back(pid);
  std::sort(pids.begin(), pids.end());
  return pids;
}

std::optional<Loss> Supervisor::stopped_loss() const {
  const StandIn& stand_in = slots_.stand_in();
  const std::uint64_t calls = stand_in.calls - stand_in_calls_before_ + passed_calls_;
  if (calls == 0) return std::nullopt;
  const std::int64_t stopped_ms = (stand_in.stopped_ns - stopped_before_ns_) / 1'000'000;
  const std::string tenths = std::to_string(stopped_ms / 1000) + "." + std::to_string(stopped_ms / 100 % 10);
  return Loss{
      "the meter was stopped (SIGSTOP or a debugger) for " + tenths + " s: calls of that time were not recorded",
      calls};
}

std::vector<Loss> Supervisor::losses() {
  const std::lock_guard lock(mutex_);
  std::vector<Loss> losses;
  if (auto stopped = stopped_loss()) losses.push_back(*std::move(stopped));
  if (unlooked_calls_ > 0)
    losses.push_back({"the meter may open no more files, and could not look at calls (raise 'ulimit -Hn' before dpm)",
                      unlooked_calls_});
  return losses;
}

// Asked while calls are served, too.
std::vector<std::string> Supervisor::warnings() {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> warnings;
  if (!connector_)
    warnings.push_back("processes were learnt about from /proc only (" + connector_.error().what +
                       "): forks and exits are less exact");
  if (announcements_lost_ > 0)
    warnings.push_back("the kernel dropped announcements of processes " + std::to_string(announcements_lost_) +
                       " times: some forks and exits are missing");
  if (unknown_ends_ > 0)
    warnings.push_back("CPU time after the last metered call is unknown for " + std::to_string(unknown_ends_) +
                       " processes, which were gone too soon: at most " + seconds_text(unknown_cpu_ns_) + " s in all");
  if (several_.unread() > 0)
    warnings.push_back(
        std::to_string(several_.unread()) +
        " datagrams that came while recvmmsg() was being made are not in the trace: their lengths or senders "
        "could not be read from the program's headers");
  if (several_.calls_not_looked_at() > 0)
    warnings.push_back(std::to_string(several_.calls_not_looked_at()) +
                       " calls of recvmmsg() may have taken more datagrams than are in the trace: their process ended "
                       "before they could be looked at again");
  const auto checks = meter_.check_warnings();
  warnings.insert(warnings.end(), checks.begin(), checks.end());
  const auto bypasses = bypasses_.warnings();
  warnings.insert(warnings.end(), bypasses.begin(), bypasses.end());
  if (meter_.gaps().bytes > 0)
    warnings.push_back(std::to_string(meter_.gaps().bytes) + " bytes in " + std::to_string(meter_.gaps().ranges) +
                       " ranges of streams passed the meter unseen: the GAP events say where");
  if (meter_.gaps().unplaced_bytes > 0)
    warnings.push_back(std::to_string(meter_.gaps().unplaced_bytes) +
                       " bytes of these have no GAP: every process had ended when the kernel counted them");
  return warnings;
}

}  // namespace dpm

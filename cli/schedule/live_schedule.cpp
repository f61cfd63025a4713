#include "cli/schedule/live_schedule.hpp"

#include <chrono>
#include <ctime>
#include <utility>

#include "scheduling/placing/message_delay.hpp"
#include "scheduling/policies/policy_registry.hpp"

namespace dpm::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kPause = std::chrono::milliseconds(200);
// A placement that is not faster by this much gives way to the one before: the kernel's own, at first.
constexpr double kGainLeast = 0.01;
constexpr double kHoldWindows = 10;

Duration since(Clock::time_point begin) {
  return {std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin).count()};
}

// A message to a process that sleeps on another core comes later, because that core has to be woken. A part of that is CPU time of the
// two: the parts are those that dpm calibrate finds on virtual cores (docs/validation.md: 10 to 15 us, 12 and 9). The sender works while the
// message is on its way, the receiver after it has come.
constexpr double kSenderPart = 0.35, kReceiverPart = 0.25, kDeliveryPart = 1 - kReceiverPart;

DelayModel delays_between(const Duration& message) {
  DelayModel delays;
  delays.name = "measured";
  const double whole_s = message.seconds();
  delays.remote.wake_ups = WakeUp{kDeliveryPart * whole_s, kSenderPart * whole_s, kReceiverPart * whole_s};
  return delays;
}

double thread_cpu_s() {
  timespec used = {};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
  return static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
}

// The clock of ProcessInfo::began_ns.
Duration since_boot() {
  timespec now = {};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return {now.tv_sec * 1'000'000'000 + now.tv_nsec};
}

LiveSchedulerOptions options_of(const SchedulePlan& plan, DelayModel delays) {
  LiveSchedulerOptions options;
  options.loop.window = plan.window;
  options.loop.settling = plan.settling;
  // A placement that the user has written is kept, whatever is measured.
  options.loop.loss_max = plan.policy == "fixed" ? 1 : -kGainLeast;
  options.loop.hold = Duration::from_seconds(plan.window.seconds() * kHoldWindows);
  options.loop.progress = Progress::bytes;
  options.loop.dry_run = plan.dry_run;
  options.window.length = plan.window;
  if (plan.policy == "predicted") options.cpu_s = thread_cpu_s;  // the others only compare sums
  options.began_at = since_boot();
  options.binds_starters = plan.policy == "fixed";
  options.delays = std::move(delays);
  return options;
}

}  // namespace

Result<std::unique_ptr<LiveSchedule>> LiveSchedule::prepare(SchedulePlan plan) {
  std::unique_ptr<LiveSchedule> schedule(new LiveSchedule(std::move(plan)));
  const SchedulePlan& planned = schedule->plan_;
  DelayModel delays = planned.delays.value_or(DelayModel());
  if (!planned.delays && planned.policy == "predicted") {
    const auto delay = measure_message_delay(*planned.places[0].cpus.begin(), *planned.places[1].cpus.begin());
    if (!delay) return delay.error();
    delays = delays_between(*delay);
  }
  auto guard = AffinityGuard::start();
  if (!guard) return guard.error();
  schedule->guard_.emplace(*std::move(guard));
  auto placing = LinuxPlacing::begin(planned.places, schedule->calls_,
                                     [at = schedule.get()](const std::string& line) { return at->guard_->note(line); });
  if (!placing) return placing.error();
  schedule->placing_.emplace(*std::move(placing));
  auto policy = make_policy(planned.policy, planned.options);
  if (!policy) return policy.error();
  schedule->policy_ = *std::move(policy);
  schedule->scheduler_ =
      std::make_unique<LiveScheduler>(options_of(planned, std::move(delays)), *schedule->policy_, *schedule->placing_,
                                      [at = schedule.get()](const JournalEntry& entry) { at->note(entry); });
  return schedule;
}

LiveSchedule::~LiveSchedule() { end(); }

void LiveSchedule::begin(std::function<std::uint64_t()> lost_events) {
  lost_events_ = std::move(lost_events);
  thread_ = std::jthread([this](const std::stop_token& stop) { work(stop); });
}

// An entry that becomes known later takes the place of the first.
void LiveSchedule::note(const JournalEntry& entry) {
  if (!outcome_.journal.empty() && entry.number != 0 && outcome_.journal.back().number == entry.number)
    outcome_.journal.back() = entry;
  else
    outcome_.journal.push_back(entry);
  if (told_) told_(outcome_);
}

void LiveSchedule::on_begin(const TraceInfo& info) {
  const std::lock_guard lock(mutex_);
  growth_.push_back(TraceGrowth::since(TableSizes(), info));
}

void LiveSchedule::on_growth(const TraceGrowth& growth) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return;
  growth_.push_back(growth);
}

void LiveSchedule::on_events(std::span<const Event> batch) {
  const std::lock_guard lock(mutex_);
  if (is_over_) return;
  const std::size_t room = kWaitingMost - std::min(kWaitingMost, events_.size());
  dropped_ += batch.size() - std::min(batch.size(), room);
  const auto kept = batch.first(std::min(batch.size(), room));
  events_.insert(events_.end(), kept.begin(), kept.end());
}

void LiveSchedule::take_news(Duration now) {
  std::vector<TraceGrowth> growth;
  std::uint64_t dropped = 0;
  taken_.clear();
  {
    const std::lock_guard lock(mutex_);
    growth.swap(growth_);
    taken_.swap(events_);
    dropped = dropped_;
  }
  for (TraceGrowth& news : growth) scheduler_->learn(std::move(news));
  scheduler_->take(taken_, now);
  scheduler_->note_lost(lost_events_() + dropped);
  outcome_.dropped_events = dropped;
}

void LiveSchedule::work(const std::stop_token& stop) {
  const auto began = Clock::now();
  std::mutex unshared;
  std::unique_lock lock(unshared);
  for (;;) {
    woken_.wait_for(lock, stop, kPause, [] { return false; });
    if (stop.stop_requested()) break;
    if (front_has_ended()) {
      outcome_.command_ended_s = since(began).seconds();
      break;
    }
    take_news(since(began));
    scheduler_->step(since(began));
  }
  outcome_.cpu_s = thread_cpu_s();
  {
    const std::lock_guard over(mutex_);
    is_over_ = true;
    growth_.clear();
    events_.clear();
  }
  give_back();
  if (outcome_.command_ended_s && told_) told_(outcome_);
}

void LiveSchedule::end() {
  if (thread_.joinable()) {
    thread_.request_stop();
    thread_.join();
  }
  give_back();
}

void LiveSchedule::give_back() {
  if (!guard_) return;
  auto restored = guard_->end();
  guard_.reset();
  if (!restored) {
    // The guard is gone: what it would do is done here.
    outcome_.warnings.push_back(restored.error().what);
    restored = placing_ ? placing_->let_all_go() : RestoredThreads();
  }
  outcome_.restored = *restored;
  if (outcome_.restored.failed > 0)
    outcome_.warnings.push_back(std::to_string(outcome_.restored.failed) +
                                " threads could not be given back the CPUs that they might use before");
}

}  // namespace dpm::cli

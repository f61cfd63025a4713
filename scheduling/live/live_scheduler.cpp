#include "scheduling/live/live_scheduler.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kMoments = 4;  // each is replayed by a policy that predicts

// What a window, its history graph, or the matching of streams needs.
bool is_of_use(EventType type) {
  switch (type) {
    case EventType::send:
    case EventType::receive_call:
    case EventType::receive:
    case EventType::create_process:
    case EventType::start_process:
    case EventType::stop_process:
    case EventType::destroy_process:
    case EventType::accept:
    case EventType::connect:
    case EventType::wait:
      return true;
    default:
      return false;
  }
}

}  // namespace

LiveScheduler::LiveScheduler(const LiveSchedulerOptions& options, Policy& policy, ProcessPlacing& placing,
                             DecisionLoop::Tell tell)
    : policy_(policy),
      placing_(placing),
      tell_(std::move(tell)),
      window_(options.window),
      loop_(options.loop, policy_, [this](const JournalEntry& entry) { note(entry); }),
      cpu_s_(options.cpu_s),
      window_length_(options.window.length),
      began_at_(options.began_at),
      binds_starters_(options.binds_starters) {
  for (const ProcessPlace& place : placing_.places()) info_.machines.push_back({place.name, 1, place.cores});
  info_.delays = options.delays;
  window_.on_begin(info_);
}

// The machines of the source are not the places, and its delays are not those between them.
void LiveScheduler::learn(TraceGrowth growth) {
  growth.machines.clear();
  growth.machines_again.clear();
  growth.modules.clear();
  const std::size_t known = info_.processes.size();
  growth.add_to(info_);
  for (std::size_t p = known; p < info_.processes.size(); ++p) info_.processes[p].machine = MachineId{0};
  for (const ChannelId closed : growth.closed)
    if (closed.value < info_.channels.size()) info_.channels[closed.value].name.clear();
}

void LiveScheduler::take(std::span<const Event> events, Duration now) {
  window_.set_now(std::max(now, window_.now()));
  events_.clear();
  for (const Event& event : events) {
    if (!is_of_use(event.type) || event.process.value >= info_.processes.size()) continue;
    if (event.type == EventType::create_process) note_start(event.process, event.peer);
    Event& placed = events_.emplace_back(event);
    placed.machine = place_of(event.process);
    if (event.type == EventType::send && event.peer.is_none() && event.channel.value < info_.channels.size())
      placed.peer = info_.channels[event.channel.value].owner;
  }
  window_.on_events(events_);
}

void LiveScheduler::step(Duration now) {
  window_.set_now(std::max(now, window_.now()));
  lose_places();
  let_starters_go();
  look();
  const double before_s = cpu_s_ ? cpu_s_() : 0;
  const bool may_decide = !cpu_s_ || before_s + decision_s_ <= kCpuShare * window_.now().seconds();
  const std::uint64_t asked = loop_.asked();
  while (const auto move = loop_.next(view(), may_decide)) perform(*move);
  if (cpu_s_ && loop_.asked() != asked) decision_s_ = cpu_s_() - before_s;
}

void LiveScheduler::note_start(ProcessId starter, ProcessId started) {
  if (binds_starters_ || started.value >= info_.processes.size()) return;
  const ProcessInfo& created = info_.processes[started.value];
  if (created.pid == 0 || created.group.value < info_.processes.size()) return;  // a thread
  const std::uint32_t pid = info_.processes[starter.value].pid;
  started_another_[pid] = window_.now();
  if (!bound_.contains(pid)) return;
  to_let_go_.push_back(pid);
  to_let_go_.push_back(created.pid);
}

// One that cannot be let go has ended.
void LiveScheduler::let_starters_go() {
  for (const std::uint32_t pid : to_let_go_) {
    bound_.erase(pid);
    if (before_) before_->erase(pid);
    (void)placing_.let_go(pid);
  }
  to_let_go_.clear();
  std::erase_if(started_another_, [&](const auto& at) { return window_.now() - at.second > window_length_; });
}

// A place that has gone: its processes run elsewhere already, where the kernel has put them.
void LiveScheduler::lose_places() {
  const auto places = placing_.places();
  for (std::size_t i = 0; i < places.size() && i < info_.machines.size(); ++i) {
    const bool was_usable = std::exchange(info_.machines[i].accepts, places[i].usable);
    if (!was_usable || places[i].usable) continue;
    JournalEntry entry;
    entry.at = window_.now();
    entry.outcome = DecisionOutcome::machine_lost;
    entry.reason = fmt::format("{} has gone offline; processes that were bound to it run where the kernel puts them",
                               places[i].name);
    for (auto at = bound_.begin(); at != bound_.end();) {
      if (at->second.value != i) {
        ++at;
        continue;
      }
      if (auto done = placing_.let_go(at->first); !done) entry.reason += "; " + done.error().what;
      if (before_) before_->erase(at->first);
      at = bound_.erase(at);
    }
    window_.begin_again();
    forget_looks();
    tell_(entry);
  }
}

void LiveScheduler::look() {
  std::vector<MachineId> moment;
  for (std::uint32_t p = 0; p < info_.processes.size(); ++p) moment.push_back(place_of({p}));
  for (std::uint32_t p = 0; p < info_.processes.size(); ++p) {
    const ProcessInfo& thread = info_.processes[p];
    if (p >= window_.loads().size() || !window_.loads()[p].alive || !window_.loads()[p].seen) continue;
    if (thread.pid == 0 || bound_.contains(thread.pid)) continue;
    const auto place = placing_.place_of(thread.pid, thread.tid);
    if (!place) continue;
    moment[p] = {static_cast<std::uint16_t>(*place)};
    seen_.saw({p}, moment[p]);
  }
  moments_.push_back(std::move(moment));
  if (moments_.size() > kMoments) moments_.pop_front();
}

void LiveScheduler::forget_looks() {
  seen_.forget();
  moments_.clear();
}

MachineId LiveScheduler::place_of(ProcessId process) const {
  const auto bound = bound_.find(info_.processes[process.value].pid);
  if (bound != bound_.end()) return bound->second;
  const MachineId seen = seen_.of(process);
  return seen.is_none() ? MachineId{0} : seen;
}

// Threads move with their process, so only processes are moved: those that run and have done something within the window.
bool LiveScheduler::may_move(ProcessId process) const {
  const ProcessInfo& info = info_.processes[process.value];
  if (info.pid == 0 || info.group.value < info_.processes.size() || process.value >= window_.loads().size())
    return false;
  if (started_another_.contains(info.pid)) return false;
  const ProcessLoad& load = window_.loads()[process.value];
  return load.alive && load.seen && info_.machines[place_of(process).value].accepts;
}

// One whose beginning is not known has run since then at least.
Duration LiveScheduler::age_of(const ProcessInfo& process) const {
  if (process.began_ns == 0) return window_.now();
  return std::max(window_.now() + began_at_ - Duration{static_cast<std::int64_t>(process.began_ns)}, Duration{});
}

SystemView LiveScheduler::view() const {
  SystemView view{window_, info_.machines, {}, {}};
  for (std::uint32_t p = 0; p < info_.processes.size(); ++p) {
    view.machine_of.push_back(place_of({p}));
    view.may_move.push_back(may_move({p}));
    view.stays.push_back(bound_.contains(info_.processes[p].pid));
    view.ages.push_back(age_of(info_.processes[p]));
  }
  if (std::find(view.stays.begin(), view.stays.end(), false) != view.stays.end())
    view.moments.assign(moments_.begin(), moments_.end());
  return view;
}

void LiveScheduler::perform(const ProcessMove& move) {
  const std::uint32_t pid = info_.processes[move.process.value].pid;
  if (!before_) {
    before_ = bound_;
    hold_the_others();
  }
  Result<void> done = loop_.is_undoing() ? go_back(pid) : placing_.put(pid, move.to.value);
  if (done && !loop_.is_undoing()) bound_[pid] = move.to;
  loop_.moved(window_, done ? "" : done.error().what);
  forget_looks();
}

void LiveScheduler::hold_the_others() {
  for (std::uint32_t p = 0; p < info_.processes.size(); ++p) {
    const std::uint32_t pid = info_.processes[p].pid;
    if (!may_move({p}) || bound_.contains(pid)) continue;
    const MachineId place = place_of({p});
    if (placing_.put(pid, place.value)) bound_[pid] = place;  // one that has just ended needs nothing
  }
}

Result<void> LiveScheduler::go_back(std::uint32_t pid) {
  const auto earlier = before_->find(pid);
  if (earlier == before_->end()) {
    bound_.erase(pid);
    return placing_.let_go(pid);
  }
  bound_[pid] = earlier->second;
  return placing_.put(pid, earlier->second.value);
}

// A process that cannot go back has ended, or its place has gone: it is let go.
void LiveScheduler::go_back_all() {
  const Places bound = bound_;
  for (const auto& [pid, place] : bound) {
    const auto earlier = before_->find(pid);
    if (earlier != before_->end() && earlier->second == place) continue;
    if (!go_back(pid)) {
      bound_.erase(pid);
      (void)placing_.let_go(pid);
    }
  }
}

void LiveScheduler::note(const JournalEntry& entry) {
  tell_(entry);
  if (!before_) return;
  const bool is_over = entry.outcome == DecisionOutcome::kept || entry.outcome == DecisionOutcome::undone ||
                       entry.outcome == DecisionOutcome::failed || entry.outcome == DecisionOutcome::ended;
  if (!is_over) return;
  if (entry.outcome != DecisionOutcome::kept) go_back_all();
  before_.reset();
}

}  // namespace dpm

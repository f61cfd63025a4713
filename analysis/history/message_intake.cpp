#include "analysis/history/message_intake.hpp"

#include <limits>
#include <optional>

#include "analysis/history/indexed_heap.hpp"
#include "model/check.hpp"

namespace dpm {
namespace {

constexpr std::int64_t kNotSent = std::numeric_limits<std::int64_t>::max();

}  // namespace

MessageIntake::MessageIntake(const History& history, const Roles& roles, Destinations& destinations,
                             const ReplicaChoice& replicas, ReplayedTimers& timers)
    : history_(history),
      roles_(roles),
      destinations_(destinations),
      timers_(timers),
      wanted_(history, roles, destinations, replicas),
      outside_(history, wanted_),
      performers_(history, roles) {
  handouts_.resize(history.process_count());
  for (std::uint32_t p = 0; p < history.process_count(); ++p) {
    handouts_[p] = handouts_of(history, roles, p);
    if (!handouts_[p].empty() && counted_.empty()) counted_.assign(history.events.size(), 0);
    for (const Handout& handout : handouts_[p]) counted_[handout.receive] = 1;
  }
}

void MessageIntake::begin(Order order) {
  order_ = order;
  wanted_.begin(order == Order::role);
  outside_.begin(order == Order::recorded);
  performers_.begin();
  gathered_.assign(order == Order::role && roles_.gathers != nullptr ? roles_.gathers->size() : 0, 0);
  if (order == Order::recorded) {
    arrival_ns_.assign(history_.events.size(), kNotSent);
  } else {
    queues_.resize(history_.process_count());
    for (auto& queue : queues_) queue.clear();
  }
}

double MessageIntake::receive_recorded(ReplayedProcess& process, double now_ns) const {
  const HistoryEvent& event = history_.events[process.cursor];
  process.taken_from = event.peer;
  process.taken_send = event.match != kNoEvent ? event.match : outside_.cause_of(process.cursor);
  if (process.taken_send == kNoEvent) return now_ns;
  const std::int64_t arrival_ns = arrival_ns_[process.cursor];
  return arrival_ns == kNotSent ? IndexedHeap::kNever : static_cast<double>(arrival_ns);
}

double MessageIntake::receive_arrived(std::uint32_t p, ReplayedProcess& process, double now_ns) {
  if (outside_.come_to(p)) {
    const std::uint32_t outside = outside_.next(p, process);
    if (outside != kNoEvent) {
      take_from_outside(p, process, outside);
      return now_ns;
    }
  }
  ArrivedMessages& queue = queues_[p];
  const std::size_t at =
      wanted_.takes_any(p, process)
          ? queue.first()
          : queue.first_of([&](const ArrivingMessage& message) { return wanted_.includes(p, process, message); });
  if (at == ArrivedMessages::kNothing) return IndexedHeap::kNever;
  const auto arrival_ns = static_cast<double>(queue[at].arrival_ns);
  if (arrival_ns <= now_ns) take(p, process, queue.take(at));
  return arrival_ns;
}

void MessageIntake::take_from_outside(std::uint32_t p, ReplayedProcess& process, std::uint32_t receive) {
  process.cursor = receive;
  process.source = p;
  process.taken_send = kNoEvent;
  process.taken_from = history_.events[receive].peer;
  process.redirect_from = process.redirect_to = kNoPeer;
  process.takes_outside = process.takes_any = false;
  outside_.received(receive);
}

void MessageIntake::take(std::uint32_t p, ReplayedProcess& process, const ArrivingMessage& message) {
  wanted_.received(p, process, message.sender);
  process.taken_send = message.send;
  process.taken_from = message.sender;
  if (order_ == Order::role) destinations_.received(p, message.sender);
  process.redirect_from = process.redirect_to = kNoPeer;
  process.takes_any = false;
  if (order_ == Order::role && !counted_.empty() && counted_[message.receive] != 0) {
    take_counted(p, process, message);
  } else {
    const HistoryEvent& sent = history_.events[message.send];
    process.cursor = begun_by(message);
    process.source = sent.match == kNoEvent ? p : sent.peer;
    performers_.begins(p, process.cursor);
    process.work_factor = work_factor(p, process);
  }
  outside_.received(process.cursor);
  timers_.end_limit(process.cursor);
}

// The next segment of a process that counts messages.
void MessageIntake::take_counted(std::uint32_t p, ReplayedProcess& process, const ArrivingMessage& message) const {
  DPM_CHECK(process.next_handout < handouts_[p].size());  // as many as were sent
  const Handout& handout = handouts_[p][process.next_handout++];
  process.cursor = handout.receive;
  process.source = p;
  if (handout.kind != Handout::Kind::answer) return;
  process.redirect_from = history_.events[process.cursor].peer;
  process.redirect_to = message.sender;
}

// The RECEIVE that takes the message: its own, or of several answers (gathers.hpp) the next.
std::uint32_t MessageIntake::begun_by(const ArrivingMessage& message) {
  const auto gathering = gathered_.empty() ? std::nullopt : roles_.gathers->of(message.receive);
  return gathering ? roles_.gathers->receive_at(*gathering, gathered_[*gathering]++) : message.receive;
}

double MessageIntake::work_factor(std::uint32_t p, const ReplayedProcess& process) const {
  if (order_ != Order::role || destinations_.empty() || process.source == p) return 1;
  return destinations_.work_factor(performers_.task_of(process.cursor), process.source, p);
}

bool MessageIntake::force_from_outside(std::uint32_t p, ReplayedProcess& process) {
  if (!outside_.come_to(p)) return false;
  process.takes_outside = true;
  process.takes_outside = outside_.next(p, process) != kNoEvent;
  return process.takes_outside;
}

void MessageIntake::drop(std::uint32_t p, std::uint32_t receive) {
  ArrivedMessages& queue = queues_[p];
  const std::size_t at = queue.first_of([&](const ArrivingMessage& message) { return message.receive == receive; });
  if (at != ArrivedMessages::kNothing) queue.take(at);
  timers_.end_limit(receive);
}

}  // namespace dpm

#include "backends/linux/calls/metered_thread.hpp"

namespace dpm {

std::uint64_t MeteredThread::append(const Event& event, bool finished, std::int64_t now_ns, FlowEnd end) {
  last_time_ = std::max(last_time_, event.local_time);
  if (finished && waiting_.empty()) {
    output_.ready.push_back(event);
    return first_number_++;
  }
  if (waiting_.empty()) {
    place_ = output_.waiting.size();
    output_.waiting.push_back(this);
  }
  waiting_.push_back({event, finished ? State::finished : State::open, now_ns, end});
  return first_number_ + waiting_.size() - 1;
}

void MeteredThread::append_for_process(const Event& event, std::int64_t now_ns) {
  append(event, true, now_ns);
  if (!waiting_.empty()) waiting_.back().for_process = true;
}

std::uint64_t MeteredThread::delay(std::uint64_t number) {
  if (number == kNoEvent) return number;
  const auto at = waiting_.begin() + static_cast<std::ptrdiff_t>(number - first_number_);
  const auto next = std::find_if(at + 1, waiting_.end(), [](const Waiting& later) { return !later.for_process; });
  Event& event = at->event;
  event.local_time = std::max(event.local_time, next != waiting_.end() ? next->event.local_time : last_seen_);
  if (next - at > 1) {  // events of its process that are earlier than the new time come first
    const Event& before = (next - 1)->event;
    event.local_time = std::max(event.local_time, before.local_time);
    event.proc_time_ns = std::max(event.proc_time_ns, before.proc_time_ns);
  }
  last_time_ = std::max(last_time_, event.local_time);
  std::rotate(at, at + 1, next);
  return number + static_cast<std::uint64_t>(next - at) - 1;
}

void MeteredThread::decide(std::uint64_t number, State state) {
  if (number == kNoEvent) return;
  waiting_[number - first_number_].state = state;
  if (waiting_.front().state == State::open) return;
  while (!waiting_.empty() && waiting_.front().state != State::open) {
    if (waiting_.front().state == State::finished) output_.ready.push_back(waiting_.front().event);
    waiting_.pop_front();
    ++first_number_;
  }
  if (waiting_.empty()) waits_no_more();
}

void MeteredThread::waits_no_more() {
  MeteredThread* const last = output_.waiting.back();
  last->place_ = place_;
  output_.waiting[place_] = last;
  output_.waiting.pop_back();
}

}  // namespace dpm

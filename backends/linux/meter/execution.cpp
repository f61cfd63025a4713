#include "backends/linux/meter/execution.hpp"

namespace dpm {

std::uint64_t Execution::append(const Event& event, bool finished, std::int64_t now_ns) {
  last_time_ = std::max(last_time_, event.local_time);
  if (finished && waiting_.empty()) {
    ready_.push_back(event);
    return first_number_++;
  }
  waiting_.push_back({event, finished ? State::finished : State::open, now_ns});
  return first_number_ + waiting_.size() - 1;
}

void Execution::delay(std::uint64_t number) {
  if (number == kNoEvent) return;
  const std::uint64_t next = number - first_number_ + 1;
  Event& event = waiting_[next - 1].event;
  const LocalTime latest = next < waiting_.size() ? waiting_[next].event.local_time : last_seen_;
  event.local_time = std::max(event.local_time, latest);
  last_time_ = std::max(last_time_, event.local_time);
}

void Execution::decide(std::uint64_t number, State state) {
  if (number == kNoEvent) return;
  waiting_[number - first_number_].state = state;
  while (!waiting_.empty() && waiting_.front().state != State::open) {
    if (waiting_.front().state == State::finished) ready_.push_back(waiting_.front().event);
    waiting_.pop_front();
    ++first_number_;
  }
}

}  // namespace dpm

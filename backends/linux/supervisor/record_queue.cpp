#include "backends/linux/supervisor/record_queue.hpp"

#include <utility>

namespace dpm {

void RecordQueue::push(RecordBatch batch) {
  if (batch.empty()) return;
  std::unique_lock lock(mutex_);
  const auto has_room = [this] { return events_ < events_max_; };
  if (!has_room() && !emptied_.wait_for(lock, std::chrono::nanoseconds(patience_.ns), has_room)) {
    dropped_ += batch.events.size();
    batch.events.clear();  // names are kept, because later events use them
  }
  events_ += batch.events.size();
  batches_.push_back(std::move(batch));
  lock.unlock();
  filled_.notify_one();
}

void RecordQueue::close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  filled_.notify_all();
}

std::optional<RecordBatch> RecordQueue::pop() {
  std::unique_lock lock(mutex_);
  filled_.wait(lock, [this] { return closed_ || !batches_.empty(); });
  if (batches_.empty()) return std::nullopt;
  RecordBatch batch = std::move(batches_.front());
  batches_.pop_front();
  events_ -= batch.events.size();
  emptied_.notify_all();
  return batch;
}

std::uint64_t RecordQueue::dropped() const {
  const std::lock_guard lock(mutex_);
  return dropped_;
}

}  // namespace dpm

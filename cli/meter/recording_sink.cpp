#include "cli/meter/recording_sink.hpp"

#include <algorithm>

namespace dpm::cli {

Ledger RecordingSink::complete_so_far(LossReport losses) {
  const std::lock_guard lock(mutex_);
  losses.seen += events_;
  writer_.checkpoint(filter_.ledger_after(losses));
  return writer_.ledger();
}

void RecordingSink::flush() {
  timer_.take();  // first: an event that comes meanwhile arms it again
  const std::lock_guard lock(mutex_);
  if (!ended_) writer_.flush();
}

void RecordingSink::checkpoint() {
  const std::lock_guard lock(mutex_);
  if (!ended_) writer_.checkpoint();
}

void RecordingSink::on_begin(const TraceInfo& info) {
  if (listener_ != nullptr) listener_->on_begin(info);
  const std::lock_guard lock(mutex_);
  info_ = info;
  if (!chosen_.empty()) info_.source += ", " + chosen_;
  filter_.on_begin(info_);
}

void RecordingSink::on_growth(const TraceGrowth& growth) {
  if (listener_ != nullptr) listener_->on_growth(growth);
  const std::lock_guard lock(mutex_);
  writer_.on_growth(growth);
}

void RecordingSink::on_end(const LossReport& losses) {
  if (listener_ != nullptr) listener_->on_end(losses);
  const std::lock_guard lock(mutex_);
  filter_.on_end(losses);
  ended_ = true;
}

void RecordingSink::on_events(std::span<const Event> batch) {
  if (listener_ != nullptr) listener_->on_events(batch);
  const std::lock_guard lock(mutex_);
  filter_.on_events(batch);
  events_ += batch.size();
  if (immediate_) {
    writer_.flush();
  } else {
    timer_.arm();
  }
  const auto now = Clock::now();
  if (now < due_) return;
  writer_.checkpoint();
  due_ = Clock::now() + std::chrono::seconds(1);
}

}  // namespace dpm::cli

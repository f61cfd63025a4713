#include "answers/live/background_work.hpp"

#include <utility>

namespace dpm::cli {

BackgroundWork::BackgroundWork() : thread_([this](const std::stop_token& stop) { work(stop); }) {}

BackgroundWork::~BackgroundWork() = default;

bool BackgroundWork::post(std::function<void()> piece) {
  const std::lock_guard lock(mutex_);
  if (pieces_.size() >= kWaitingMost) return false;
  pieces_.push_back(std::move(piece));
  news_.notify_one();
  return true;
}

void BackgroundWork::work(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (news_.wait(lock, stop, [this] { return !pieces_.empty(); })) {
    const auto piece = std::exchange(pieces_.front(), {});
    pieces_.pop_front();
    lock.unlock();
    piece();
    lock.lock();
    if (stop.stop_requested()) return;
  }
}

}  // namespace dpm::cli

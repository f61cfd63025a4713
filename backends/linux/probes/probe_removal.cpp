#include "backends/linux/probes/probe_removal.hpp"

#include <utility>

namespace dpm {
namespace {

constexpr std::size_t kThreadsMost = 32;

}  // namespace

ProbeRemoval::~ProbeRemoval() {
  {
    const std::lock_guard lock(mutex_);
    is_over_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

void ProbeRemoval::add(std::function<void()> take_out) {
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(std::move(take_out));
    if (waiting_.size() > idle_threads_ && threads_.size() < kThreadsMost) threads_.emplace_back([this] { work(); });
  }
  changed_.notify_one();
}

void ProbeRemoval::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_threads_;
    changed_.wait(lock, [this] { return is_over_ || !waiting_.empty(); });
    --idle_threads_;
    if (waiting_.empty()) return;
    const std::function<void()> take_out = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    take_out();
    lock.lock();
  }
}

}  // namespace dpm
